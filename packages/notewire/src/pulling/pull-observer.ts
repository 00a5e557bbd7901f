import type { MirrorHooks, ProblemNotice, ProgressNotice } from '@notewire/mirror'
import type { Clock } from '@notewire/protocol'
import { failureOf } from '../errors/failure.ts'
import type { KeptCopy } from '../local-copy/local-copy.ts'
import type { Progress } from '../terminal/progress.ts'

/** How often the notes that are still to be read are counted, in milliseconds. */
const COUNT_EVERY_MS = 500

const DOING: Readonly<Record<ProgressNotice['phase'], string>> = {
  backfill: 'Listing',
  poll: 'Listing',
  scan: 'Looking for deletions',
  confirming: 'Confirming deletions',
  content: 'Reading',
}

/** Shows the progress of a pull, and records its problems. */
export class PullObserver {
  readonly #progress: Progress
  readonly #clock: Clock
  readonly #problems = new Map<string, string>()
  #copy: KeptCopy | undefined
  #isReading = false
  #isOver = false
  #pending = 0
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(progress: Progress, clock: Clock) {
    this.#progress = progress
    this.#clock = clock
  }

  readonly hooks: MirrorHooks = {
    onProgress: (notice) => this.#show(notice),
    onProblem: (problem) => this.#remember(problem),
  }

  /** Counts the notes that are still to be read in this copy. */
  watch(copy: KeptCopy): void {
    this.#copy = copy
  }

  /** The reasons why notes could not be read, each once. */
  get problems(): readonly string[] {
    return [...this.#problems.values()]
  }

  /** Removes the progress bar. Later notices are ignored. */
  finish(): void {
    this.#isOver = true
    this.#progress.finish()
  }

  #show({ phase, done, total }: ProgressNotice): void {
    if (this.#isOver) return
    if (phase === 'content') {
      this.#isReading = true
      this.#count()
      // The total grows until all notes are listed.
      this.#progress.update(done, done + this.#pending, DOING[phase])
    } else if (!this.#isReading || phase === 'scan' || phase === 'confirming') {
      this.#progress.update(done, total === undefined ? undefined : Math.max(done, total), DOING[phase])
    }
  }

  #remember({ error }: ProblemNotice): void {
    const { code, message } = failureOf(error)
    this.#problems.set(code, message)
  }

  #count(): void {
    const now = this.#clock.now()
    if (this.#pending > 0) this.#pending -= 1
    if (now - this.#countedAt < COUNT_EVERY_MS) return
    this.#countedAt = now
    this.#copy?.mirror.status().then(
      ({ notes }) => {
        this.#pending = notes.dirty + notes.unsettled
      },
      () => undefined,
    )
  }
}
