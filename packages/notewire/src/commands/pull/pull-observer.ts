import type { MirrorHooks, ProgressNotice } from '@notewire/mirror'
import { failureOf } from '../../errors/failure.ts'
import type { Progress } from '../../terminal/progress.ts'

const PHASE_LABELS: Readonly<Record<ProgressNotice['phase'], string>> = {
  backfill: 'Listing',
  poll: 'Listing',
  scan: 'Looking for deletions',
  confirming: 'Confirming deletions',
  content: 'Reading',
}

export interface PullObserver {
  readonly hooks: MirrorHooks
  /** The different reasons why notes could not be read. */
  readonly problems: () => readonly string[]
  /** Removes the progress bar. Later notices are ignored. */
  readonly finish: () => void
}

export function observePull(progress: Progress): PullObserver {
  const problems = new Map<string, string>()
  let isReading = false
  let isOver = false
  return {
    hooks: {
      onProgress: ({ phase, done, total }) => {
        // Notes are read while others are listed: only the reading is shown then.
        isReading ||= phase === 'content'
        if (isOver || (isReading && (phase === 'backfill' || phase === 'poll'))) return
        progress.update(done, total === undefined ? undefined : Math.max(done, total), PHASE_LABELS[phase])
      },
      onProblem: ({ error }) => {
        const { code, message } = failureOf(error)
        problems.set(code, message)
      },
    },
    problems: () => [...problems.values()],
    finish: () => {
      isOver = true
      progress.finish()
    },
  }
}
