import type { Clock } from '@notewire/protocol'
import { MirrorBusyError } from '../errors.ts'
import { latestLeaseEnd } from '../integrations/taking-order.ts'

/**
 * The length of every lease, in milliseconds: of an integration, a consumer or a listing. After a crash, another process continues when
 * the lease has expired.
 */
export const LEASE_MS = 30_000

const RENEW_EVERY_MS = LEASE_MS / 3

/** The longest pauses after a lost lease, so that the other process can finish, in milliseconds. */
const FIRST_PAUSE_AFTER_LOSS_MS = 50
const MAX_PAUSE_AFTER_LOSS_MS = 10_000
/** The pauses after so many losses add up to a minute on average. */
const MAX_LOSSES = 20

/** The lease that is taken or renewed now. */
export function leaseFrom(now: number): { readonly now: number; readonly until: number } {
  return { now, until: now + LEASE_MS }
}

/** Whether a process holds a lease. One that ends more than twice its length ahead was written by a clock that was wrong. */
export function isHeld(until: number | null, now: number): until is number {
  return until !== null && until > now && until <= latestLeaseEnd(leaseFrom(now))
}

/**
 * Pauses before a lease that was lost is taken again. Without a pause, processes whose clocks differ would take it from each other endlessly.
 *
 * @param losses  how often it was lost before
 * @throws MirrorBusyError when it was lost 20 times
 */
export async function pauseAfterLoss(losses: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (losses >= MAX_LOSSES) throw new MirrorBusyError()
  const longestMs = Math.min(FIRST_PAUSE_AFTER_LOSS_MS * 2 ** losses, MAX_PAUSE_AFTER_LOSS_MS)
  await clock.sleep(Math.random() * longestMs, signal)
}

// A reason, because without one each abort makes an error with a stack.
const WORK_HAS_ENDED = 'the work under the lease has ended'

export interface HeldLease {
  readonly clock: Clock
  /** Resolves to `false` if another process has the lease. If it rejects, the lease has not ended: the next renewal may still be in time. */
  readonly renew: () => Promise<boolean>
  readonly lost: () => Error
}

/**
 * Works under a lease, and renews it meanwhile.
 *
 * @param work  its signal fires with the error `lost` when the lease is lost
 */
export async function keepLease<Result>(
  { clock, renew, lost }: HeldLease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController()
  const over = new AbortController()

  async function keep(): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, over.signal)
      if (over.signal.aborted) return
      if (!(await renew().catch(() => true)) && !over.signal.aborted) return ended.abort(lost())
    }
  }

  const keeping = keep().catch(() => undefined)
  try {
    return await work(ended.signal)
  } finally {
    over.abort(WORK_HAS_ENDED)
    await keeping
  }
}
