import type { Clock } from '@notewire/protocol'
import type { ClaimRequest, ClaimResult, ReceiverStore } from '../stores/store.ts'
import type { Endings } from './endings.ts'

/** How long a busy event or note is waited for before the service is told to come back. */
const BUSY_WAIT_MS = 2_000

const FIRST_POLL_MS = 25
const SLOWEST_POLL_MS = 250

/**
 * Claims an event, and waits a while when it, or another event of its note, is being processed.
 *
 * @param signal  ends the wait early, with `busy`
 * @returns the answer, and when it was asked for
 */
export async function claimPatiently(
  tools: { readonly store: ReceiverStore; readonly clock: Clock; readonly endings: Endings },
  request: ClaimRequest,
  signal: AbortSignal,
): Promise<{ readonly result: ClaimResult; readonly askedAt: number }> {
  const { store, clock, endings } = tools
  const giveUpAt = clock.now() + BUSY_WAIT_MS
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, SLOWEST_POLL_MS)) {
    const turn = endings.queue(request)
    try {
      const askedAt = clock.now()
      const result = await store.claim(request)
      const leftMs = giveUpAt - clock.now()
      if (result.status !== 'busy' || leftMs <= 0 || signal.aborted) return { result, askedAt }
      await firstOf(turn.comes, clock, Math.min(pollMs, leftMs), signal)
    } finally {
      turn.leave()
    }
  }
}

async function firstOf(ending: Promise<void>, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const awake = new AbortController()
  // By hand, because Next's edge runtime has no `AbortSignal.any`.
  const wake = () => awake.abort('awake')
  signal.addEventListener('abort', wake)
  const slept = clock.sleep(ms, awake.signal).catch(() => undefined)
  await Promise.race([slept, ending])
  signal.removeEventListener('abort', wake)
  wake()
}
