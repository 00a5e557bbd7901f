import { monotonicNow } from '@notewire/protocol'
import type { MirrorsSettings } from '../many/mirrors-options.ts'
import { codeOf } from '../rules/problem-rule.ts'

/** Logs when the store begins to fail in this process, and when it answers again. It cannot be stored. */
export class StoreOutage {
  readonly #settings: Pick<MirrorsSettings, 'log' | 'clock'>
  #began: { readonly code: string; readonly at: number } | undefined

  constructor(settings: Pick<MirrorsSettings, 'log' | 'clock'>) {
    this.#settings = settings
  }

  failed(error: unknown): void {
    if (this.#began !== undefined) return
    const { log, clock } = this.#settings
    const code = codeOf(error)
    this.#began = { code, at: monotonicNow(clock) }
    log.report({ occurrence: 'store-begun', code, error })
  }

  ended(): void {
    if (this.#began === undefined) return
    const { log, clock } = this.#settings
    const { code, at } = this.#began
    this.#began = undefined
    log.report({ occurrence: 'store-over', code, fields: { seconds: Math.round((monotonicNow(clock) - at) / 1_000) } })
  }
}
