import type { Clock } from '@notewire/protocol'

/** Resolves waiting tasks on each `wake`. */
export class Wakeup {
  readonly #waiting = new Set<() => void>()
  #count = 0

  get count(): number {
    return this.#count
  }

  wake(): void {
    this.#count += 1
    for (const resolve of this.#waiting) resolve()
  }

  /** Resolves at the next `wake`, or when the signal fires, whichever comes first. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  /** Like `next`, but resolves after `ms` milliseconds at the latest. */
  async nextWithin(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    await Promise.race([this.next(either), clock.sleep(ms, either).catch(() => undefined)])
    // The default reason is an error, whose stack costs as much time as the rest of this method.
    over.abort('woken')
  }
}
