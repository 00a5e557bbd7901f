import type { Clock } from '@notewire/protocol'

/** A moment after which an answer must leave, finished or not. */
export interface Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** Aborted when the moment has come. */
  readonly signal: AbortSignal
  /** Resolves with `fallback` when the moment has come before `work` is done, and with what `work` gives otherwise. */
  race<Result>(work: Promise<Result>, fallback: () => Result): Promise<Result>
  /** Nobody waits any more. */
  callOff(): void
}

/** Starts a deadline `ms` milliseconds from now. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  const passed = new AbortController()
  const off = new AbortController()
  const timer = clock.sleep(ms, off.signal).then(
    () => passed.abort(),
    () => undefined,
  )
  return {
    at: clock.now() + ms,
    signal: passed.signal,
    race: (work, fallback) => Promise.race([work, timer.then(fallback)]),
    callOff: () => off.abort(),
  }
}
