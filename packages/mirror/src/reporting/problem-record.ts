import type { Clock } from '@notewire/protocol'
import type { StoredProblem } from '../interfaces/problem.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type ProblemStep, stepAfter } from '../rules/problem-rule.ts'

interface RecordParts {
  readonly store: Pick<MirrorStore, 'readProgress'>
  readonly integration: string
  readonly ledger: Pick<Ledger, 'advance'>
  readonly clock: Clock
}

/** How a piece of work ended. */
interface Ending {
  /** The code of its error; `undefined` if there is no problem. */
  readonly code: string | undefined
  /** Whether the caller logs the change. */
  readonly isLogged: boolean
  /** The progress after the work, if it is known. */
  readonly progress?: MirrorProgress | undefined
}

/**
 * Stores whether one mirror has a problem of one kind, so that only the process that writes a change logs it. While the store fails, this process
 * remembers the problem.
 */
export class ProblemRecord {
  readonly #field: 'problem' | 'silence'
  readonly #parts: RecordParts
  /** The problem as this process has last seen it. */
  #known: StoredProblem | undefined
  /** Whether `#known` could not be stored. */
  #isUnstored = false

  constructor(field: 'problem' | 'silence', parts: RecordParts) {
    this.#field = field
    this.#parts = parts
  }

  /** The problem that could not be stored; `null` if there is none. */
  get unstored(): StoredProblem | null {
    return this.#isUnstored ? (this.#known ?? null) : null
  }

  /**
   * Stores the problem after a piece of work. If it is as before, nothing is written.
   *
   * @returns what has changed since it was logged last. Never rejects
   */
  async record({ code, isLogged, progress }: Ending): Promise<ProblemStep['change']> {
    const now = this.#parts.clock.now()
    const next = (known: StoredProblem | undefined) => stepAfter(known, code, isLogged, now)
    try {
      const step = await this.#store(next, progress)
      this.#isUnstored = false
      this.#known = step.problem
      return step.change
    } catch {
      const step = next(this.#known)
      this.#isUnstored = true
      this.#known = step.problem
      return step.change
    }
  }

  async #store(
    next: (known: StoredProblem | undefined) => ProblemStep,
    progress: MirrorProgress | undefined,
  ): Promise<ProblemStep> {
    const { store, integration, ledger } = this.#parts
    const seen = progress ?? (await store.readProgress(integration)).progress
    let step = next(this.#isUnstored ? this.#known : seen[this.#field])
    if (!step.isChanged && !this.#isUnstored) return step
    await ledger.advance((latest) => {
      step = next(this.#isUnstored ? this.#known : latest[this.#field])
      return step.isChanged || this.#isUnstored ? withProblem(latest, this.#field, step.problem) : undefined
    })
    return step
  }
}

function withProblem(
  progress: MirrorProgress,
  field: 'problem' | 'silence',
  problem: StoredProblem | undefined,
): MirrorProgress {
  const { [field]: _, ...others } = progress
  return problem === undefined ? others : { ...others, [field]: problem }
}
