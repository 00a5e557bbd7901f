import type { Schedule } from '../simulation/schedule.ts'

/** The schedule of the current history. */
let playing: Schedule | undefined

/**
 * Replaces the timers of this thread by timers of the current history's virtual time, because the client measures its timeouts with them.
 */
export function makeTimersVirtual(): void {
  const { setTimeout, clearTimeout } = globalThis
  const callOffs = new WeakMap<object, () => void>()
  const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): object => {
    if (playing === undefined) return setTimeout(run, ms, ...args)
    const timer = {}
    callOffs.set(
      timer,
      playing.after(ms, () => run(...args)),
    )
    return timer
  }
  const clear = (timer: object | undefined): void => {
    const callOff = timer === undefined ? undefined : callOffs.get(timer)
    if (callOff === undefined) clearTimeout(timer as NodeJS.Timeout | undefined)
    else callOff()
  }
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
}

/** Makes timers and random values belong to a history. */
export function playBy(schedule: Schedule | undefined, fraction: () => number): void {
  playing = schedule
  Math.random = fraction
  const digits = () => Array.from({ length: 8 }, () => Math.floor(fraction() * 16).toString(16)).join('')
  // Ids of full listings and copies appear in the log, so they must be the same in each replay.
  crypto.randomUUID = () => `${digits()}-0000-4000-8000-${digits()}0000`
}
