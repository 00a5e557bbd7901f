/**
 * The time, as far as Notewire is concerned. Everything that waits or compares times accepts one, so that a test can
 * stand still, skew or skip time. Stores that live on a server use the server's clock instead.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Resolves after `ms` milliseconds of this clock's time.
   *
   * @throws the signal's reason, as soon as `signal` is aborted
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The clock of the machine: the default wherever a {@link Clock} is accepted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', cancel, { once: true })

      function wake() {
        signal?.removeEventListener('abort', cancel)
        resolve()
      }
      function cancel() {
        clearTimeout(timer)
        reject(signal?.reason)
      }
    }),
}
