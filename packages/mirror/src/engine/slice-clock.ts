import { type Clock, monotonicNow } from '@notewire/protocol'

/**
 * The clock of one slice. It reads the clock of the process once, and then measures the time that passes. So the times that a slice writes
 * differ by what has passed between them, even if the clock of the process is set meanwhile or shows one wrong time.
 */
export interface SliceClock extends Clock {
  /** How much the clock of the process now differs from this one, in milliseconds. */
  offMs(): number
}

export function sliceClock(clock: Clock): SliceClock {
  const began = { at: clock.now(), reading: monotonicNow(clock) }
  const now = () => began.at + Math.floor(monotonicNow(clock) - began.reading)
  return {
    now,
    monotonic: () => monotonicNow(clock),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    offMs: () => clock.now() - now(),
  }
}
