import { TimeoutError } from 'ky'
import { ConnectionError } from './errors/connection-error.ts'
import { nameOf, type Operation } from './operation.ts'

/**
 * The error that stands for a call without an answer. What was thrown is reduced to its code: it may hold the request,
 * and a custom `fetch` may have put anything into it.
 */
export function connectionFailure(
  operation: Operation,
  thrown: unknown,
  facts: { readonly attempts: number; readonly timeoutMs: number },
): ConnectionError {
  const name = nameOf(operation)
  const tries = facts.attempts === 1 ? '1 attempt' : `${facts.attempts} attempts`
  const nextStep =
    operation.afterLostAnswer ?? 'Check that baseUrl is right and can be reached from here, then call again.'
  if (thrown instanceof TimeoutError) {
    const message = `${name}: no complete answer within ${facts.timeoutMs} ms, in ${tries}. ${nextStep}`
    return new ConnectionError('timeout', name, message)
  }
  const networkCode = networkCodeOf(thrown)
  const reason = networkCode === undefined ? '' : ` (${networkCode})`
  const message = `${name}: the connection failed${reason}, in ${tries}. ${nextStep}`
  return new ConnectionError('network_error', name, message, networkCode)
}

const NETWORK_CODE_FORM = /^[A-Z][A-Z0-9_]{1,63}$/
const DEEPEST_CAUSE = 5

function networkCodeOf(thrown: unknown): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if ('code' in error && typeof error.code === 'string' && NETWORK_CODE_FORM.test(error.code)) return error.code
    error = error.cause
  }
  return undefined
}
