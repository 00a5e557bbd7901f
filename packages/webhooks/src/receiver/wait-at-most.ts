import type { Clock } from '@notewire/protocol'
import { setAlarm } from './alarm.ts'

/** Resolves when `work` has resolved, or after `ms` milliseconds of the clock's time. `work` never rejects. */
export function waitAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancelAlarm = setAlarm(clock, ms, resolve)
    void work.then(() => {
      cancelAlarm()
      resolve()
    })
  })
}
