import { type Clock, monotonicNow } from '@notewire/protocol'
import type { ClaimRequest } from '../interfaces/store.ts'
import { setTimer } from '../timing/timers.ts'
import type { LazyAbort } from './lazy-abort.ts'

/** How long the receiver waits for a busy event or note before it answers 503. */
export const BUSY_WAIT_MS = 2_000

const FIRST_POLL_MS = 25
const SLOWEST_POLL_MS = 250

interface Wait<Result> {
  readonly request: ClaimRequest
  /** Ends the wait early. */
  readonly abort: LazyAbort
  /** A time of `monotonicNow`. */
  readonly until: number
  /** `released` of the waiters before the first attempt. */
  readonly released: number
  /** The result of the first attempt. */
  readonly busy: Result
  readonly attempt: () => Promise<Result>
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
 * attempt is tried again immediately instead of at its next poll of the store. A release wakes only one waiter, because only one can succeed.
 *
 * To avoid missing a release, call `queue` before the attempt, or compare `released` before and after it.
 */
export class Waiters {
  readonly #clock: Clock
  readonly #queues = new Map<string, Set<() => void>>()
  #released = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many times this process has released an event. */
  get released(): number {
    return this.#released
  }

  /** Repeats an attempt that was `busy`, until it has another result, the time is over, or `abort` fires. */
  async retryWhileBusy<Result extends { readonly status: string }>(wait: Wait<Result>): Promise<Result> {
    const { request, abort, until, attempt } = wait
    let result = wait.busy
    // A release may have freed this event or note before this attempt was in the queue.
    let isDue = this.#released !== wait.released
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, SLOWEST_POLL_MS)) {
      const waiter = this.queue(request)
      try {
        if (isDue) result = await attempt()
        const leftMs = until - monotonicNow(this.#clock)
        if (result.status !== 'busy' || leftMs <= 0 || abort.aborted) return result
        await firstOf(waiter.turn, this.#clock, Math.min(pollMs, leftMs), abort.signal)
        isDue = true
      } finally {
        waiter.leave()
      }
    }
  }

  queue(request: ClaimRequest): Waiter {
    const key = keyOf(request)
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    const { promise: turn, resolve: wake } = Promise.withResolvers<void>()
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

/** Resolves when `turn` does, after `ms` milliseconds of the clock's time, or when `signal` is aborted. */
function firstOf(turn: Promise<void>, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = setTimer(clock, ms, wake)
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
    else void turn.then(wake)
  })
}

/** Events about the same note, or without a note the same event, have one key. */
export function keyOf({ integration, eventId, note }: ClaimRequest): string {
  return note === undefined ? `${integration} event ${eventId}` : `${integration} note ${note.noteId}`
}
