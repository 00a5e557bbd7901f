// Read once, so that fake timers of a test do not stop the service.
const { clearTimeout, setImmediate = postTask, setTimeout } = globalThis

/** The longest delay that Node.js accepts. A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Resolves in the next turn of the event loop, after everything that was ready to continue. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * Calls a function after `ms` of the machine's time, or in the next turn of the event loop if `ms` is 0.
 *
 * @returns a function that cancels the call
 */
export function startTimer(ms: number, callback: () => void): () => void {
  if (ms <= 0) {
    let isCancelled = false
    setImmediate(() => isCancelled || callback())
    return () => {
      isCancelled = true
    }
  }
  const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS))
  return () => clearTimeout(timer)
}

/** Browsers have no `setImmediate`, and delay nested timers by 4 ms. A message has no delay. */
function postTask(callback: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    callback()
  }
  port2.postMessage(undefined)
}

/** Counts what happens in a service: API requests, finished attempts, finished work. */
export class Activity {
  #count = 0
  #next = Promise.withResolvers<void>()

  get count(): number {
    return this.#count
  }

  /** Resolves when something happens. */
  get next(): Promise<void> {
    return this.#next.promise
  }

  record(): void {
    const { resolve } = this.#next
    this.#count += 1
    this.#next = Promise.withResolvers()
    resolve()
  }

  /** Resolves when something happens, or after `ms` of the machine's time. */
  async nextWithin(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = startTimer(ms, resolve)
    await Promise.race([this.next, promise])
    cancel()
  }
}
