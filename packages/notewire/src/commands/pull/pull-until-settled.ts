import { MirrorInUseError, type SyncOptions, type SyncReport } from '@notewire/mirror'
import type { Clock } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import type { KeptCopy } from '../../local-copy/local-copy.ts'
import { amount } from '../../terminal/amounts.ts'

export interface PullOutcome {
  /** Whether everything was listed, and every note was read. */
  readonly isSettled: boolean
  readonly pending: number
}

/**
 * Lists what is due and reads every note. If another run lists, or was killed while it listed, this waits until its lease expires.
 */
export async function pullUntilSettled(
  copy: Pick<KeptCopy, 'mirror' | 'isInUse'>,
  { fullListing, patienceMs }: { readonly fullListing: 'now' | 'when-due'; readonly patienceMs: number },
  { clock, signal, output }: Pick<Context, 'clock' | 'signal' | 'output'>,
): Promise<PullOutcome> {
  const { mirror } = copy
  const told = new Set<string>()
  const isPatienceOver = patience(patienceMs, clock)
  let report = await syncUnlessInUse(copy, { signal, fullListing })
  for (let isListed = report.listed; ; isListed ||= report.listed) {
    const { notes } = await mirror.status()
    const pending = notes.dirty + notes.unsettled
    if (isListed && pending === 0) return { isSettled: true, pending }
    if (isPatienceOver(pending, report.settled)) return { isSettled: false, pending }
    const reason = isListed ? 'notes' : 'listing'
    if (!told.has(reason)) output.tell(waitingFor(reason, pending))
    told.add(reason)
    await clock.sleep(pauseBefore(report, clock.now()), signal)
    report = isListed ? await mirror.settle({ signal }) : await syncUnlessInUse(copy, { signal, fullListing })
  }
}

/** Syncs. While another run has the lease, only reads notes, so that the user is told why nothing is listed. */
async function syncUnlessInUse(
  { mirror, isInUse }: Pick<KeptCopy, 'mirror' | 'isInUse'>,
  options: SyncOptions,
): Promise<SyncReport> {
  if (await isInUse()) return await mirror.settle({ signal: options.signal })
  try {
    return await mirror.sync(options)
  } catch (error) {
    if (!(error instanceof MirrorInUseError)) throw error
    return { listed: false, settled: 0, postponed: 0, nextAt: error.until.getTime() }
  }
}

/** Patience is over if nothing was read for `patienceMs`. */
function patience(patienceMs: number, clock: Clock): (pending: number, settled: number) => boolean {
  let fewest = Number.POSITIVE_INFINITY
  let progressAt = clock.now()
  return (pending, settled) => {
    if (pending < fewest || settled > 0) progressAt = clock.now()
    fewest = Math.min(fewest, pending)
    return clock.now() - progressAt >= patienceMs
  }
}

function waitingFor(reason: 'notes' | 'listing', pending: number): string {
  return reason === 'notes'
    ? `Waiting for ${amount(pending, 'note')} that cannot be read yet, or that another run has taken …`
    : 'Another run is working on this copy now, or was killed less than a minute ago. Waiting until its lease ends …'
}

/** The time until something is due, but at most a second, because other runs may end earlier. */
function pauseBefore({ nextAt }: SyncReport, now: number): number {
  return Math.min(1_000, Math.max(50, nextAt - now))
}
