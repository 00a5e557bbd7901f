import type { ClaimRequest } from '../interfaces/store.ts'

/** A place in the queue for an event or a note. */
export interface Waiter {
  /** Resolves when this process has released the event or note, and this waiter is the first in the queue. */
  readonly turn: Promise<void>
  /** Leaves the queue. */
  leave(): void
}

/**
 * Queues the attempts that wait for an event or a note, so that they claim it as soon as this process releases it, without
 * waiting for the next poll of the store. A release wakes one waiter: the others could not claim it either. A release between a
 * claim and `queue` would be missed: queue first and claim then, or compare `released` before and after.
 */
export class Waiters {
  readonly #queues = new Map<string, Set<() => void>>()
  #released = 0

  /** How many times an event has been released. */
  get released(): number {
    return this.#released
  }

  queue(request: ClaimRequest): Waiter {
    const key = keyOf(request)
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    // Not `Promise.withResolvers`, which Node.js 20 does not have.
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

  /** This process no longer works on the event and its note. */
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

function keyOf({ integration, eventId, note }: ClaimRequest): string {
  return note === undefined ? `${integration} event ${eventId}` : `${integration} note ${note.noteId}`
}
