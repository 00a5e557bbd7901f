import { type Clock, RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { setAlarm } from './alarm.ts'

/** How long the receiver takes to answer at most. The service waits 10 s (contract §8); the margin is for the network. */
export const ANSWER_WITHIN_MS = RECEIVER_DEADLINE_MS - 2_000

/** A moment by which an answer must leave, finished or not. */
export interface Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** Resolves when the moment has come. */
  readonly passed: Promise<void>
  /** Gives what `work` gives, or what `fallback` gives when the moment comes first. */
  race<Result>(work: Promise<Result>, fallback: () => Result): Promise<Result>
  /** The answer has left: the moment never comes. */
  callOff(): void
}

/** Starts a deadline `ms` milliseconds from now. */
export function startDeadline(clock: Clock, ms: number): Deadline {
  let pass = (): void => undefined
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return {
    at: clock.now() + ms,
    passed,
    race: (work, fallback) =>
      new Promise((resolve, reject) => {
        work.then(resolve, reject)
        void passed.then(() => resolve(fallback()))
      }),
    callOff: setAlarm(clock, ms, pass),
  }
}
