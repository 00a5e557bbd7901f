import type { Mirror, SyncReport } from '@notewire/mirror'
import type { Context } from '../context/context.ts'
import { amount } from '../terminal/amounts.ts'

/** How a pull ended. */
export interface PullOutcome {
  /** Whether everything was listed, and every note read. */
  readonly isSettled: boolean
  /** How many notes are still to be read. */
  readonly pending: number
}

/**
 * Lists what is due and reads every note. Notes that another run has taken, or left when it was killed, are free again once
 * their lease ends; the function waits for that.
 *
 * @param patienceMs  how long to wait without progress
 */
export async function pullUntilSettled(
  mirror: Mirror,
  { scan, patienceMs }: { readonly scan: 'now' | 'when-due'; readonly patienceMs: number },
  context: Pick<Context, 'clock' | 'signal' | 'output'>,
): Promise<PullOutcome> {
  const { clock, signal, output } = context
  const patience = new Patience(patienceMs, clock)
  const announce = announcer(output)
  let report = await mirror.sync({ signal, scan })
  for (let isListed = report.listed; ; isListed ||= report.listed) {
    const { notes } = await mirror.status()
    const pending = notes.dirty + notes.unsettled
    if (isListed && pending === 0) return { isSettled: true, pending }
    if (patience.isSpent(pending, report.settled)) return { isSettled: false, pending }
    announce(isListed ? 'notes' : 'listing', pending)
    await clock.sleep(pauseBefore(report, clock.now()), signal)
    report = isListed ? await mirror.settle({ signal }) : await mirror.sync({ signal, scan })
  }
}

/** Tells each reason to wait once. */
function announcer({ tell }: Context['output']): (reason: 'notes' | 'listing', pending: number) => void {
  const told = new Set<string>()
  return (reason, pending) => {
    if (told.has(reason)) return
    told.add(reason)
    tell(
      reason === 'notes'
        ? `Waiting for ${amount(pending, 'note')} that cannot be read yet, or that another run has taken …`
        : 'Another run is listing notes now, or was killed less than a minute ago. Waiting until its lease ends …',
    )
  }
}

/** Runs out when nothing has made progress for a time. */
class Patience {
  readonly #patienceMs: number
  readonly #clock: Context['clock']
  #fewest = Number.POSITIVE_INFINITY
  #progressAt: number

  constructor(patienceMs: number, clock: Context['clock']) {
    this.#patienceMs = patienceMs
    this.#clock = clock
    this.#progressAt = clock.now()
  }

  isSpent(pending: number, settled: number): boolean {
    const now = this.#clock.now()
    if (pending < this.#fewest || settled > 0) this.#progressAt = now
    this.#fewest = Math.min(this.#fewest, pending)
    return now - this.#progressAt >= this.#patienceMs
  }
}

/** The time until something is due, at most a second: other runs may end earlier. */
function pauseBefore({ nextAt }: SyncReport, now: number): number {
  return Math.min(1_000, Math.max(50, nextAt - now))
}
