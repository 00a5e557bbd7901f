import { OptionError } from '@notewire/protocol'

// Timers of the platform fire at once for anything longer.
const LONGEST_MS = 2_147_483_647

/** @throws `OptionError` for what no timer can wait for */
export function requireDuration(option: string, ms: unknown): number {
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS) return ms
  throw new OptionError(
    option,
    `${option} is not a valid duration. Pass a number of milliseconds greater than 0 and at most ${LONGEST_MS}.`,
  )
}
