import { ConnectionError } from '../errors/connection-error.ts'
import type { CallAttempt } from '../errors/notes-client-error.ts'
import type { FailedAttempt } from './attempt.ts'
import { nameOf, type Operation } from './operation.ts'

/**
 * The error that stands for a call without an answer.
 *
 * @param within  how long the service had for its answer, in words
 */
export function connectionFailure(
  operation: Operation,
  { failure, networkCode }: FailedAttempt,
  attempts: readonly CallAttempt[],
  within: string,
): ConnectionError {
  const name = nameOf(operation)
  const tries = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const nextStep =
    operation.afterLostAnswer ??
    'Check that the base URL is correct and that this machine can reach it, then try again.'
  const reason = networkCode === undefined ? '' : ` (${networkCode})`
  const problem = failure === 'timeout' ? `no complete answer within ${within}` : `the connection failed${reason}`
  return new ConnectionError(failure, name, `${name}: ${problem}, in ${tries}. ${nextStep}`, attempts)
}
