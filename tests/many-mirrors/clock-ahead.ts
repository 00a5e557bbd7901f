import { type Clock, systemClock } from '@notewire/protocol'

/** The system clock, ahead by some milliseconds. */
export function clockAhead(ms: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + ms, sleep: systemClock.sleep.bind(systemClock) }
}
