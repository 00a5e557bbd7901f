import { type Clock, monotonicNow } from '@notewire/protocol'
import type { ClaimRequest } from '../interfaces/store.ts'
import type { LazyAbort } from './lazy-abort.ts'
import { setTimer } from './timers.ts'

/**
 * Lets one event of a note be processed at a time in this process, in the order of their arrival. Otherwise, many events of one note would
 * each hold a connection while they wait for the same row.
 */
export class Turns {
  readonly #clock: Clock
  /** The events of a note: the first one is being processed. */
  readonly #queues = new Map<string, (() => void)[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Waits for the turn of an event.
   *
   * @returns ends the turn; `undefined` if the turn did not come by `waitUntil`, a time of `monotonicNow`, or before `abort`
   */
  async take(request: ClaimRequest, waitUntil: number, abort: LazyAbort): Promise<(() => void) | undefined> {
    const key = keyOf(request)
    const queue = this.#queues.get(key)
    if (queue === undefined) {
      const only = [NOBODY]
      this.#queues.set(key, only)
      return () => this.#leave(key, only, NOBODY)
    }
    let start = NOBODY
    const turn = new Promise<void>((resolve) => {
      start = resolve
    })
    queue.push(start)
    const end = () => this.#leave(key, queue, start)
    await firstOf(turn, this.#clock, waitUntil - monotonicNow(this.#clock), abort.signal)
    if (queue[0] === start) return end
    end()
    return undefined
  }

  #leave(key: string, queue: (() => void)[], start: () => void): void {
    queue.splice(queue.indexOf(start), 1)
    if (queue.length === 0) this.#queues.delete(key)
    else queue[0]?.()
  }
}

/** Resolves when `turn` does, after `ms` milliseconds of the clock's time, or when `signal` is aborted. */
export function firstOf(turn: Promise<void>, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = setTimer(clock, Math.max(0, ms), wake)
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
    else void turn.then(wake)
  })
}

/** The place of an event that need not wait. */
const NOBODY = (): void => undefined

/** Events about the same note, or without a note the same event, have one key. */
export function keyOf({ integration, eventId, note }: ClaimRequest): string {
  return note === undefined ? `${integration} event ${eventId}` : `${integration} note ${note.noteId}`
}
