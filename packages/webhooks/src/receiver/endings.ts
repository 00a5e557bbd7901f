import type { ClaimRequest } from '../stores/store.ts'

/**
 * Wakes those who wait for an event or a note when this process has finished with it, so that they need not wait for
 * the next look at the store. Ask for the ending first and claim then: an ending in between is not missed.
 */
export class Endings {
  readonly #awaited = new Map<string, AwaitedEnding>()

  /** Resolves when this process next finishes with the same event or note. */
  next(request: ClaimRequest): Promise<void> {
    return Promise.race(keysOf(request).map((key) => this.#awaitedOn(key).promise))
  }

  /** This process has finished with the event and its note, whatever came of it. */
  announce(request: ClaimRequest): void {
    for (const key of keysOf(request)) {
      this.#awaited.get(key)?.resolve()
      this.#awaited.delete(key)
    }
  }

  #awaitedOn(key: string): AwaitedEnding {
    const awaited = this.#awaited.get(key) ?? anEnding()
    this.#awaited.set(key, awaited)
    return awaited
  }
}

interface AwaitedEnding {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

// `Promise.withResolvers` came with Node.js 22.
function anEnding(): AwaitedEnding {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function keysOf({ eventId, note }: ClaimRequest): readonly string[] {
  return note === undefined ? [`event ${eventId}`] : [`event ${eventId}`, `note ${note.noteId}`]
}
