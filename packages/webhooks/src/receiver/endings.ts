import type { ClaimRequest } from '../interfaces/store.ts'

/** A place in the queue for an event or a note. */
export interface Turn {
  /** Resolves when this process has finished with the event or note, and it is this one's turn to claim it. */
  readonly comes: Promise<void>
  /** Gives the place up. */
  leave(): void
}

/**
 * Queues those who wait for an event or a note, so that they need not wait for their next look at the store when this
 * process has finished with it. One is woken at a time: the others could not claim it either. An ending between a
 * look at the store and the queue would be missed: queue first and look then, or see by `announced` that there was none.
 */
export class Endings {
  readonly #queues = new Map<string, Set<() => void>>()
  #announced = 0

  /** How many endings there have been, of anything. */
  get announced(): number {
    return this.#announced
  }

  queue(request: ClaimRequest): Turn {
    const key = keyOf(request)
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    let wake = (): void => undefined
    const comes = new Promise<void>((resolve) => {
      wake = resolve
    })
    queue.add(wake)
    return {
      comes,
      leave: () => {
        queue.delete(wake)
        if (queue.size === 0 && this.#queues.get(key) === queue) this.#queues.delete(key)
      },
    }
  }

  /** This process has finished with the event and its note, whatever came of it. */
  announce(request: ClaimRequest): void {
    this.#announced += 1
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
