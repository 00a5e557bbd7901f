import type { Clock } from '@notewire/protocol'

/** A moment by which an answer must leave, finished or not. */
export interface Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** Aborted when the moment has come. */
  readonly signal: AbortSignal
  /** Gives what `work` gives, or what `fallback` gives when the moment comes first. */
  race<Result>(work: Promise<Result>, fallback: () => Result): Promise<Result>
  /** The answer has left: the moment never comes. */
  callOff(): void
}

// A reason of our own: without one, `abort` makes an exception with a stack, at a cost that every delivery would pay.
const CALLED_OFF = 'the answer has left'

/** Starts a deadline `ms` milliseconds from now. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  const passed = new AbortController()
  const calledOff = new AbortController()
  const moment = new Promise<void>((resolve) => {
    passed.signal.addEventListener('abort', () => resolve())
  })
  clock.sleep(ms, calledOff.signal).then(
    () => passed.abort('the deadline has passed'),
    () => undefined,
  )
  return {
    at: clock.now() + ms,
    signal: passed.signal,
    race: (work, fallback) => Promise.race([work, moment.then(fallback)]),
    callOff: () => calledOff.abort(CALLED_OFF),
  }
}
