import { type CallAttempt, ConnectionError } from '../errors/notes-client-error.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import { nameOf, type Operation } from './operation.ts'

/** The error of a call whose last request got no complete response. */
export function connectionFailure(
  failure: 'timeout' | 'network_error',
  { operation, totalTimeoutMs }: { readonly operation: Operation; readonly totalTimeoutMs: number },
  attempts: readonly CallAttempt[],
  { baseUrl, baseUrlSource, timeoutMs }: ClientSettings,
): ConnectionError {
  const name = nameOf(operation)
  const code = failure === 'network_error' ? attempts.at(-1)?.networkCode : undefined
  const tries = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const nextStep =
    operation.afterLostAnswer ??
    `${explainNetworkCode(code)}Check that the base URL, which comes from ${baseUrlSource}, is correct and that this machine can reach it, then try again.`
  const reason = code === undefined ? '' : ` (${code})`
  const problem =
    failure === 'timeout'
      ? `no complete answer from ${baseUrl} within ${timeoutMs} ms for an attempt and ${totalTimeoutMs} ms in all`
      : `the connection to ${baseUrl} failed${reason}`
  return new ConnectionError(failure, name, `${name}: ${problem}, in ${tries}. ${nextStep}`, attempts)
}

function explainNetworkCode(code = ''): string {
  if (code === 'ECONNREFUSED') return 'No program listens at this address. '
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the host was not found. '
  if (code === 'Z_BUF_ERROR') return 'The response ended early. '
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'The certificate of the host was not accepted. '
  return ''
}

const NETWORK_CODE_FORM = /^[A-Z][A-Z0-9_]{1,63}$/
const DEEPEST_CAUSE = 5

/** Returns only the runtime's code of a thrown value: the value may contain the request, and a custom `fetch` may throw anything. */
export function networkCodeOf(thrown: unknown): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if ('code' in error && typeof error.code === 'string' && NETWORK_CODE_FORM.test(error.code)) return error.code
    error = error.cause
  }
  return undefined
}
