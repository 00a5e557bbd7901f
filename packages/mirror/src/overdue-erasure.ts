import type { Ledger } from './ledger.ts'
import { type MirrorHooks, tell } from './mirror-hooks.ts'
import { ERASE_WITHIN_MS, eraseUnconfirmed } from './rules/erasure-rule.ts'
import type { MirrorStore } from './stores/store.ts'

/** How long at most a sync or a pause goes on without a look for what is to be erased, in milliseconds. */
export const ERASE_EVERY_MS = 5 * 60_000

/**
 * How many notes are erased in one step: to take one out of a text index for good takes tens of milliseconds, and other writers wait
 * for as long as a step takes.
 */
export const ERASED_AT_ONCE = 10

/**
 * Erases what events have hidden for too long to wait for a confirmation. No read is needed for it, so that a service that is down,
 * or a long queue, does not keep what is to be erased.
 */
export class OverdueErasure {
  readonly #store: MirrorStore
  readonly #scope: string
  readonly #ledger: Ledger
  #lookedAt = 0
  #underWay: Promise<void> = Promise.resolve()

  constructor(parts: { readonly store: MirrorStore; readonly scope: string; readonly ledger: Ledger }) {
    this.#store = parts.store
    this.#scope = parts.scope
    this.#ledger = parts.ledger
  }

  /** Erases everything that is overdue. */
  async run(): Promise<void> {
    const now = this.#ledger.clock.now()
    this.#lookedAt = now
    for (;;) {
      const noteIds = await this.#store.listOverdue(this.#scope, now - ERASE_WITHIN_MS, ERASED_AT_ONCE)
      if (noteIds.length === 0) return
      await this.#ledger.revise(noteIds, (state) => eraseUnconfirmed(state, now))
    }
  }

  /** Looks now and then beside what these hooks are told of, which is every page and every note: a sync may last for hours. */
  beside(hooks: MirrorHooks): MirrorHooks {
    const look = () => this.#nowAndThen()
    return {
      ...hooks,
      onProgress: (notice) => {
        look()
        tell(hooks.onProgress, notice)
      },
      onProblem: (notice) => {
        look()
        tell(hooks.onProblem, notice)
      },
    }
  }

  /** Resolves when nothing of it is under way. */
  idle(): Promise<void> {
    return this.#underWay
  }

  #nowAndThen(): void {
    const now = this.#ledger.clock.now()
    if (Math.abs(now - this.#lookedAt) < ERASE_EVERY_MS) return
    this.#lookedAt = now
    // What fails here fails again when the next sync begins with it, and is told then.
    this.#underWay = this.#underWay.then(() => this.run()).catch(() => undefined)
  }
}
