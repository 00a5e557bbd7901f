import { OptionError } from '@notewire/protocol'

// Longer timers fire at once.
const LONGEST_MS = 2_147_483_647

/** @throws `OptionError` if a timer cannot wait that long */
export function requireDuration(option: string, ms: unknown): number {
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS) return ms
  throw new OptionError(
    option,
    `${option} is not a valid duration. Pass a number of milliseconds greater than 0 and at most ${LONGEST_MS}.`,
  )
}
