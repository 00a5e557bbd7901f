import { setAlarm } from './event-loop.ts'

/** Counts what happens in a service: API requests, finished attempts, finished work. */
export class Activity {
  #count = 0
  #next = Promise.withResolvers<void>()

  /** How many times something has happened. */
  get count(): number {
    return this.#count
  }

  /** Resolves when something happens. */
  get next(): Promise<void> {
    return this.#next.promise
  }

  note(): void {
    const { resolve } = this.#next
    this.#count += 1
    this.#next = Promise.withResolvers()
    resolve()
  }

  /** Resolves when something happens, or after `ms` of the machine's time. */
  async nextWithin(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const silence = setAlarm(ms, resolve)
    await Promise.race([this.next, promise])
    silence()
  }
}
