import { type Clock, monotonicNow } from '@notewire/protocol'
import { codeOf } from '../rules/problem-rule.ts'
import type { MirrorLog } from './mirror-log.ts'

interface OutageParts {
  readonly log: MirrorLog
  readonly clock: Clock
}

/** Logs when the store begins to fail in this process, and when it answers again. It cannot be stored. */
export class StoreOutage {
  readonly #parts: OutageParts
  #began: { readonly code: string; readonly at: number } | undefined

  constructor(parts: OutageParts) {
    this.#parts = parts
  }

  failed(error: unknown): void {
    if (this.#began !== undefined) return
    const { log, clock } = this.#parts
    const code = codeOf(error)
    this.#began = { code, at: monotonicNow(clock) }
    log.report({ occurrence: 'store-begun', code, error })
  }

  ended(): void {
    if (this.#began === undefined) return
    const { log, clock } = this.#parts
    const { code, at } = this.#began
    this.#began = undefined
    log.report({ occurrence: 'store-over', code, fields: { seconds: Math.round((monotonicNow(clock) - at) / 1_000) } })
  }
}
