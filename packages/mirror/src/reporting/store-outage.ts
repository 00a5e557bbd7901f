import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Problem } from '../integrations/problem.ts'
import { codeOf } from '../rules/problem-rule.ts'
import type { MirrorLog } from './mirror-log.ts'

/** The store may carry out some operations and not others, so that an outage is over only after this time without a failure, in milliseconds. */
const QUIET_MS = 60_000

/** After this time, another process has tried what failed in this one, in milliseconds. It is longer than the longest pause after a failure. */
const FORGET_AFTER_MS = 7 * 60_000

interface OutageParts {
  readonly log: MirrorLog
  readonly clock: Clock
}

interface Outage {
  readonly code: string
  readonly beganAt: number
  readonly since: Date
  failedAt: number
}

/** Logs when the store begins to fail in this process, and when it answers again. It cannot be stored. */
export class StoreOutage {
  readonly #parts: OutageParts
  /** When the store last failed for an integration. The empty id is for what concerns none. */
  readonly #failing = new Map<string, number>()
  #outage: Outage | undefined

  constructor(parts: OutageParts) {
    this.#parts = parts
  }

  /** The outage, for a status. */
  get problem(): Problem | null {
    return this.#outage === undefined ? null : { code: this.#outage.code, since: this.#outage.since }
  }

  failed(error: unknown, integration = ''): void {
    const { log, clock } = this.#parts
    const now = monotonicNow(clock)
    this.#failing.set(integration, now)
    if (this.#outage !== undefined) {
      this.#outage.failedAt = now
      return
    }
    const code = codeOf(error)
    this.#outage = { code, beganAt: now, since: new Date(clock.now()), failedAt: now }
    log.report({ occurrence: 'store-begun', code, error })
  }

  /** The store has done what it was asked for. */
  answered(integration = ''): void {
    if (this.#outage === undefined) return
    const { log, clock } = this.#parts
    const { code, beganAt, failedAt } = this.#outage
    const now = monotonicNow(clock)
    this.#failing.delete(integration)
    for (const [id, at] of this.#failing) if (now - at > FORGET_AFTER_MS) this.#failing.delete(id)
    if (this.#failing.size > 0 || now - failedAt < QUIET_MS) return
    this.#outage = undefined
    log.report({ occurrence: 'store-over', code, fields: { seconds: Math.round((now - beganAt) / 1_000) } })
  }
}
