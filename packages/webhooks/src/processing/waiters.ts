import { type Clock, monotonicNow } from '@notewire/protocol'
import type { ClaimRequest, ClaimResult, ReceiverStore } from '../interfaces/store.ts'
import type { LazyAbort } from './lazy-abort.ts'
import { firstOf, keyOf } from './turns.ts'

/** How long the receiver waits for a busy event or note before it answers 503. */
const BUSY_WAIT_MS = 2_000

const FIRST_POLL_MS = 25
const SLOWEST_POLL_MS = 250

const BUSY: ClaimResult = { status: 'busy' }

/** The result of a claim, and when the claim was requested. */
export interface TimedClaimResult {
  readonly result: ClaimResult
  /** `monotonicNow` before the claim was requested: a lower bound for the start of the lease. */
  readonly requestedAt: number
}

interface Tools {
  readonly store: ReceiverStore<never>
  readonly clock: Clock
  readonly waiters: Waiters
}

/**
 * Retries a claim that returned `busy`, until the store returns another result or 2 s have passed.
 *
 * @param abort  ends the wait early, with the result `busy`
 * @param wasReleasedMeanwhile  whether this process has released any event since the first claim was requested. If so, the claim is
 * retried immediately, because the release may have freed this event or note before the attempt was in the queue
 */
export async function claimWhenFree(
  { store, clock, waiters }: Tools,
  request: ClaimRequest,
  abort: LazyAbort,
  wasReleasedMeanwhile: boolean,
): Promise<TimedClaimResult> {
  const waitUntil = monotonicNow(clock) + BUSY_WAIT_MS
  let claimFirst = wasReleasedMeanwhile
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, SLOWEST_POLL_MS)) {
    const waiter = waiters.queue(request)
    try {
      const requestedAt = monotonicNow(clock)
      const result = claimFirst ? await store.claim(request) : BUSY
      const leftMs = waitUntil - monotonicNow(clock)
      if (result.status !== 'busy' || leftMs <= 0 || abort.aborted) return { result, requestedAt }
      await firstOf(waiter.turn, clock, Math.min(pollMs, leftMs), abort.signal)
      claimFirst = true
    } finally {
      waiter.leave()
    }
  }
}

/** One attempt's place in the queue of an event or a note. */
export interface Waiter {
  /** Resolves when this process releases the event or note and this waiter is the first in the queue. */
  readonly turn: Promise<void>
  /** Leaves the queue. */
  leave(): void
}

/**
 * Keeps a queue for each event or note for which attempts in this process wait. When this process releases the event or note, the first
 * attempt claims it immediately instead of at its next poll of the store. A release wakes only one waiter, because only one can claim.
 *
 * To avoid missing a release, call `queue` before `store.claim`, or compare `released` before and after the claim.
 */
export class Waiters {
  readonly #queues = new Map<string, Set<() => void>>()
  #released = 0

  /** How many times this process has released an event. */
  get released(): number {
    return this.#released
  }

  queue(request: ClaimRequest): Waiter {
    const key = keyOf(request)
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    // Not `Promise.withResolvers`: the receiver also runs on Node.js 20, which is tested but not supported.
    let wake = (): void => undefined
    const turn = new Promise<void>((resolve) => {
      wake = resolve
    })
    queue.add(wake)
    return {
      turn,
      leave: () => {
        queue.delete(wake)
        if (queue.size === 0 && this.#queues.get(key) === queue) this.#queues.delete(key)
      },
    }
  }

  /** Wakes the first waiter for the event or its note. Call it when this process has finished or failed to process the event. */
  release(request: ClaimRequest): void {
    this.#released += 1
    if (this.#queues.size === 0) return
    const queue = this.#queues.get(keyOf(request))
    const [first] = queue ?? []
    if (first === undefined) return
    queue?.delete(first)
    first()
  }
}
