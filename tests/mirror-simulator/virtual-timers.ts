import type { Schedule } from '../simulation/schedule.ts'

/** The history that is played now. */
let playing: Schedule | undefined

/**
 * Has every timer that code in this thread sets from now on run in the time of the history that is played: the client
 * times single requests by the machine, as its sockets are.
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

/** Has timers and chance belong to a history. */
export function playBy(schedule: Schedule | undefined, fraction: () => number): void {
  playing = schedule
  Math.random = fraction
  const digits = () => Array.from({ length: 8 }, () => Math.floor(fraction() * 16).toString(16)).join('')
  // Names of scans and copies stand in what is told.
  crypto.randomUUID = () => `${digits()}-0000-4000-8000-${digits()}0000`
}
