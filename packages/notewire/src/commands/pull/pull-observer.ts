import type { MirrorHooks, ProgressNotice } from '@notewire/mirror'
import { type Clock, monotonicNow } from '@notewire/protocol'
import { CommandError, failureOf } from '../../errors/failure.ts'
import type { Progress } from '../../terminal/progress.ts'

const PHASE_LABELS: Readonly<Record<ProgressNotice['phase'], string>> = {
  backfill: 'Listing',
  poll: 'Listing',
  'full-listing': 'Looking for deletions',
  confirming: 'Confirming deletions',
  content: 'Reading',
}

export interface PullObserver {
  readonly hooks: MirrorHooks
  /** The different reasons why notes could not be read. */
  readonly problems: () => readonly string[]
  /** Fires with a `CommandError` when the service has listed pages without a new note for as long as the user waits. */
  readonly stalled: AbortSignal
  /** Removes the progress bar. Later notices are ignored. */
  readonly finish: () => void
}

/** So many pages in a row without a new note are no reason to give up, however little the user waits. */
const MAX_QUICK_PAGES = 20

/** @param patienceMs  how long to wait for a new note while the service lists pages without one */
export function observePull(
  progress: Progress,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): PullObserver {
  const problems = new Map<string, string>()
  const stalled = new AbortController()
  let newsAt = monotonicNow(clock)
  let isReading = false
  let isOver = false
  return {
    hooks: {
      onProgress: ({ phase, done, total, idlePages = 0 }) => {
        if (idlePages === 0) newsAt = monotonicNow(clock)
        const isLate = monotonicNow(clock) - newsAt >= patienceMs
        if (idlePages >= MAX_QUICK_PAGES && isLate) stalled.abort(listingStalled(idlePages))
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
    stalled: stalled.signal,
    finish: () => {
      isOver = true
      progress.finish()
    },
  }
}

function listingStalled(idlePages: number): CommandError {
  return new CommandError(
    'listing_stalled',
    `the service returned ${idlePages} pages in a row without a new note, and says after each that more pages follow. Run the command again to continue there, with a longer --wait if the service may have that many empty pages. If this happens again, report it to the service.`,
  )
}
