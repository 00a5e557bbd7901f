import { type CallAttempt, ConnectionError } from '../errors/notes-client-error.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import { networkCauseOf } from './network-cause.ts'
import { nameOf, type Operation } from './operation.ts'

/** The error of a call whose last request got no complete response. @param thrown  what `fetch` threw, if it did */
export function connectionFailure(
  failure: 'timeout' | 'network_error',
  { operation, totalTimeoutMs }: { readonly operation: Operation; readonly totalTimeoutMs: number },
  attempts: readonly CallAttempt[],
  { baseUrl, baseUrlSource, timeoutMs }: ClientSettings,
  thrown: unknown,
): ConnectionError {
  const name = nameOf(operation)
  const code = failure === 'network_error' ? attempts.at(-1)?.networkCode : undefined
  const tries = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const cause = networkCauseOf(failure === 'timeout' ? failure : code, thrown, baseUrl)
  const checkUrl = cause.isComplete
    ? ''
    : `Check that the base URL, which comes from ${baseUrlSource}, is correct and that this machine can reach it, then try again.`
  const nextStep = (!cause.isUnsent && operation.afterLostAnswer) || `${cause.text}${checkUrl}`
  const reason = code === undefined ? '' : ` (${code})`
  const problem =
    failure === 'timeout'
      ? `no complete answer from ${baseUrl} within ${timeoutMs} ms for an attempt and ${totalTimeoutMs} ms in all`
      : `the connection to ${baseUrl} failed${reason}`
  return new ConnectionError(failure, name, `${name}: ${problem}, in ${tries}. ${nextStep}`, attempts)
}

const NETWORK_CODE_FORM = /^[A-Z][A-Z0-9_]{1,63}$/
const DEEPEST_CAUSE = 5

/** Returns only the runtime's code of a thrown value: the value may contain the request, and a custom `fetch` may throw anything. */
export function networkCodeOf(thrown: unknown): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if ('code' in error && typeof error.code === 'string' && NETWORK_CODE_FORM.test(error.code)) return error.code
    // The code of Node.js, which its `fetch` does not report.
    if (error.name === 'HTTPParserError') return 'HPE_INVALID_CONSTANT'
    error = error.cause
  }
  return undefined
}
