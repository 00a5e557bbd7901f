import type { Mirror, SyncReport } from '@notewire/mirror'
import type { Clock } from '@notewire/protocol'

/** How a pull ended. */
export interface PullOutcome {
  /** Whether everything was listed, and every note read. */
  readonly isSettled: boolean
  /** How many notes are still to be read. */
  readonly pending: number
}

/** Why a pull waits. */
export type PullPause = { readonly kind: 'others-list' } | { readonly kind: 'notes'; readonly pending: number }

/** How to pull. */
export interface PullOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly scan: 'now' | 'when-due'
  /** How long to wait, in milliseconds, for notes that cannot be read yet, and for another process that lists. */
  readonly patienceMs: number
  /** Is told when there is something to wait for, once of each kind. */
  readonly onPause: (pause: PullPause) => void
}

/**
 * Lists what is due and reads every note, also those that another run has taken, or left behind when it was killed: they
 * are free again after a while, which is waited for.
 */
export async function pullAll(mirror: Mirror, options: PullOptions): Promise<PullOutcome> {
  const { clock, signal, scan } = options
  const patience = new Patience(options)
  let report = await mirror.sync({ signal, scan })
  for (let isListed = report.listed; ; isListed ||= report.listed) {
    const pending = await pendingIn(mirror)
    if (isListed && pending === 0) return { isSettled: true, pending }
    if (patience.isSpent(pending, report.settled)) return { isSettled: false, pending }
    patience.pauseFor(isListed ? { kind: 'notes', pending } : { kind: 'others-list' })
    await clock.sleep(pauseBefore(report, clock.now()), signal)
    report = isListed ? await mirror.settle({ signal }) : await mirror.sync({ signal, scan })
  }
}

/** Lasts as long as something moves, and then for the time that was given. */
class Patience {
  readonly #options: PullOptions
  readonly #announced = new Set<string>()
  #fewest = Number.POSITIVE_INFINITY
  #movedAt: number

  constructor(options: PullOptions) {
    this.#options = options
    this.#movedAt = options.clock.now()
  }

  isSpent(pending: number, settled: number): boolean {
    const now = this.#options.clock.now()
    if (pending < this.#fewest || settled > 0) this.#movedAt = now
    this.#fewest = Math.min(this.#fewest, pending)
    return now - this.#movedAt >= this.#options.patienceMs
  }

  pauseFor(pause: PullPause): void {
    if (!this.#announced.has(pause.kind)) this.#options.onPause(pause)
    this.#announced.add(pause.kind)
  }
}

async function pendingIn(mirror: Mirror): Promise<number> {
  const { notes } = await mirror.status()
  return notes.dirty + notes.unsettled
}

/** Until something is due; others may be done before it is. */
function pauseBefore({ nextAt }: SyncReport, now: number): number {
  return Math.min(1_000, Math.max(50, nextAt - now))
}
