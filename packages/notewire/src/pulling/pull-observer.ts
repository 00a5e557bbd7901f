import type { MirrorHooks, ProgressNotice } from '@notewire/mirror'
import type { Clock } from '@notewire/protocol'
import { failureOf } from '../errors/failure.ts'
import type { KeptCopy } from '../local-copy/local-copy.ts'
import type { Progress } from '../terminal/progress.ts'

/** How often to count the notes that have not been read, in milliseconds. */
const COUNT_EVERY_MS = 500

const PHASE_LABELS: Readonly<Record<ProgressNotice['phase'], string>> = {
  backfill: 'Listing',
  poll: 'Listing',
  scan: 'Looking for deletions',
  confirming: 'Confirming deletions',
  content: 'Reading',
}

export interface PullObserver {
  readonly hooks: MirrorHooks
  readonly watch: (copy: KeptCopy) => void
  /** The different reasons why notes could not be read. */
  readonly problems: () => readonly string[]
  /** Removes the progress bar. Later notices are ignored. */
  readonly finish: () => void
}

export function observePull(progress: Progress, clock: Clock): PullObserver {
  const problems = new Map<string, string>()
  let copy: KeptCopy | undefined
  let isReading = false
  let isOver = false
  let pending = 0
  let countedAt = Number.NEGATIVE_INFINITY

  function count(): void {
    if (pending > 0) pending -= 1
    if (clock.now() - countedAt < COUNT_EVERY_MS) return
    countedAt = clock.now()
    copy?.mirror.status().then(
      ({ notes }) => {
        pending = notes.dirty + notes.unsettled
      },
      () => undefined,
    )
  }

  function show({ phase, done, total }: ProgressNotice): void {
    if (isOver) return
    if (phase === 'content') {
      isReading = true
      count()
      // The total grows until all notes are listed.
      progress.update(done, done + pending, PHASE_LABELS[phase])
    } else if (!isReading || phase === 'scan' || phase === 'confirming') {
      progress.update(done, total === undefined ? undefined : Math.max(done, total), PHASE_LABELS[phase])
    }
  }

  return {
    hooks: {
      onProgress: show,
      onProblem: ({ error }) => {
        const { code, message } = failureOf(error)
        problems.set(code, message)
      },
    },
    watch: (watched) => {
      copy = watched
    },
    problems: () => [...problems.values()],
    finish: () => {
      isOver = true
      progress.finish()
    },
  }
}
