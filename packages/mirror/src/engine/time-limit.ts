import type { Clock } from '@notewire/protocol'
import { MirrorError } from '../errors.ts'

const LIMIT_MS = 10_000

/** The next step in the error, by the name of the function. */
const NEXT_STEPS = {
  connect: 'The integration is retried later. Find out what connect waits for, such as a database or a secret store.',
  saveSecret:
    'Find out what saveSecret waits for, and call mirrors.add again: it rotates the secret and saves the new one.',
} as const

/**
 * Waits for a function of the user, for 10 s at most, because the integration is leased meanwhile.
 *
 * @param call  gets a signal that fires when the function is no longer waited for
 * @throws MirrorError `callback_timed_out`; the signal's reason if it fires
 */
export async function withinLimit<Result>(
  name: keyof typeof NEXT_STEPS,
  clock: Clock,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const gaveUp = new AbortController()
  const late = clock.sleep(LIMIT_MS, AbortSignal.any([signal, over.signal])).then(() => {
    throw new MirrorError('callback_timed_out', `${name} took longer than ${LIMIT_MS / 1000} s. ${NEXT_STEPS[name]}`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([call(gaveUp.signal), late])
  } catch (error) {
    gaveUp.abort(error)
    throw error
  } finally {
    // A reason, because without one each abort makes an error with a stack.
    over.abort('the function has ended')
  }
}
