import { type Clock, monotonicNow } from '@notewire/protocol'
import type { ClaimRequest, ClaimResult, ReceiverStore } from '../interfaces/store.ts'
import { setAlarm } from './alarm.ts'
import type { Endings } from './endings.ts'
import type { Stop } from './stop.ts'

/** How long a busy event or note is waited for before the service is told to come back. */
const BUSY_WAIT_MS = 2_000

const FIRST_POLL_MS = 25
const SLOWEST_POLL_MS = 250

const BUSY: ClaimResult = { status: 'busy' }

/** A store's answer to a claim, and when it was asked for it, by `monotonicNow`. */
export interface DatedAnswer {
  readonly result: ClaimResult
  readonly askedAt: number
}

interface Tools {
  readonly store: ReceiverStore<never>
  readonly clock: Clock
  readonly endings: Endings
}

/**
 * Claims an event, and waits a while when it, or another event of its note, is being processed.
 *
 * @param stop  ends the wait early, with `busy`
 */
export async function claimPatiently(tools: Tools, request: ClaimRequest, stop: Stop): Promise<DatedAnswer> {
  const { store, clock, endings } = tools
  const { announced } = endings
  const askedAt = monotonicNow(clock)
  const result = await store.claim(request)
  if (result.status !== 'busy') return { result, askedAt }
  const mayHaveEnded = endings.announced !== announced
  return await waitAndClaim(tools, request, stop, mayHaveEnded)
}

async function waitAndClaim(
  { store, clock, endings }: Tools,
  request: ClaimRequest,
  stop: Stop,
  askFirst: boolean,
): Promise<DatedAnswer> {
  const giveUpAt = monotonicNow(clock) + BUSY_WAIT_MS
  for (let pollMs = FIRST_POLL_MS, ask = askFirst; ; pollMs = Math.min(pollMs * 2, SLOWEST_POLL_MS), ask = true) {
    const turn = endings.queue(request)
    try {
      const askedAt = monotonicNow(clock)
      const result = ask ? await store.claim(request) : BUSY
      const leftMs = giveUpAt - monotonicNow(clock)
      if (result.status !== 'busy' || leftMs <= 0 || stop.ordered) return { result, askedAt }
      await firstOf(turn.comes, clock, Math.min(pollMs, leftMs), stop.signal)
    } finally {
      turn.leave()
    }
  }
}

// The signal has not fired yet.
function firstOf(ending: Promise<void>, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      callOff()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const callOff = setAlarm(clock, ms, wake)
    signal.addEventListener('abort', wake)
    void ending.then(wake)
  })
}
