import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { LEASE_MS, withRevision } from './claim-request.ts'
import type { EventRun } from './event-run.ts'
import type { HandlerContext } from './handlers.ts'

/** An event whose claim this process holds. */
export class ClaimedEvent {
  readonly run: EventRun
  /** `monotonicNow` before the claim was requested: a lower bound for the start of the lease. */
  readonly claimedAt: number
  /** With the revision to commit. */
  claim: Claim
  /** Whether another worker has the claim, or its lease has expired. */
  isLost = false

  constructor(run: EventRun, claim: Claim, claimedAt: number) {
    this.run = run
    this.claim = claim
    this.claimedAt = claimedAt
  }

  /** What the handler gets. */
  context(prepared: unknown): HandlerContext {
    return Object.assign(this.run.context(this.claim.applied), {
      prepared,
      setAppliedRevision: (revision: number) => {
        this.claim = { ...this.claim, request: withRevision(this.claim.request, revision) }
      },
    })
  }
}

const RENEW_EVERY_MS = 5_000

/**
 * Renews the claim of an event every 5 s, until `end` is called or the claim is lost. It schedules the next renewal without waiting for the
 * store's response. If another worker has claimed the event, or if every renewal failed until the lease expired, the claim is lost, and the
 * signal of the handler is aborted.
 */
export class Lease {
  readonly #claimed: ClaimedEvent
  readonly #store: ReceiverStore
  readonly #clock: Clock
  #expiresAt: number
  #hasEnded = false

  constructor(claimed: ClaimedEvent, store: ReceiverStore, clock: Clock) {
    this.#claimed = claimed
    this.#store = store
    this.#clock = clock
    this.#expiresAt = claimed.claimedAt + LEASE_MS
    this.#scheduleRenewal()
  }

  end(): void {
    this.#hasEnded = true
    this.#claimed.run.alarm.clear(this.#renew)
  }

  readonly #renew = (): void => {
    if (monotonicNow(this.#clock) >= this.#expiresAt) this.#lose()
    else {
      this.#scheduleRenewal()
      void this.#renewNow()
    }
  }

  async #renewNow(): Promise<void> {
    const requestedAt = monotonicNow(this.#clock)
    try {
      if ((await this.#store.renew(this.#claimed.claim, LEASE_MS)) === 'lost') this.#lose()
      else this.#expiresAt = requestedAt + LEASE_MS
    } catch {
      // The next renewal may succeed before the lease expires.
    }
  }

  #scheduleRenewal(): void {
    this.#claimed.run.alarm.set(this.#renew, Math.min(monotonicNow(this.#clock) + RENEW_EVERY_MS, this.#expiresAt))
  }

  #lose(): void {
    if (this.#hasEnded) return
    this.end()
    this.#claimed.isLost = true
    this.#claimed.run.abort.abort('the claim was lost: another worker holds it, or its lease expired')
  }
}
