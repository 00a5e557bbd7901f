import { type Clock, systemClock } from '@notewire/protocol'

/** The clock of the machine, set ahead. */
export function clockAhead(ms: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + ms, sleep: systemClock.sleep.bind(systemClock) }
}
