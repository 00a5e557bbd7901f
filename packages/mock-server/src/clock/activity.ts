import { setAlarm } from './event-loop.ts'

/** Whether anything happens: requests to the API, attempts that end, work that is done. */
export class Activity {
  #count = 0
  #next = Promise.withResolvers<void>()

  /** How often something has happened. */
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
