import type { Clock } from '@notewire/protocol'
import { MirrorError } from '../interfaces/errors.ts'

const LIMIT_MS = 10_000

/** What to do when a function of the user took too long. */
const NEXT_STEPS = {
  connect:
    'The integration is tried again later. Look at what connect waits for, such as a database or a secret store.',
  saveSecret:
    'Look at what saveSecret waits for, and call mirrors.add again: it rotates the secret and saves the new one.',
} as const

/**
 * Waits for a function of the user, for 10 s at most: the integration is leased meanwhile.
 *
 * @throws MirrorError `callback_timed_out`; the reason of the signal if it fires
 */
export async function withinLimit<Result>(
  called: keyof typeof NEXT_STEPS,
  clock: Clock,
  signal: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const late = clock.sleep(LIMIT_MS, AbortSignal.any([signal, over.signal])).then(() => {
    throw new MirrorError(
      'callback_timed_out',
      `${called} took longer than ${LIMIT_MS / 1000} s and was given up. ${NEXT_STEPS[called]}`,
    )
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([call(), late])
  } finally {
    over.abort()
  }
}
