import { refuseUnknownOptions } from '@notewire/protocol'
import { type CallAttempt, ConnectionError } from '../errors/notes-client-error.ts'
import { CALL_OPTIONS, type CallOptions, requireHeaders } from '../options/call-options.ts'
import { requireDuration } from '../options/duration.ts'
import { type ClientSettings, requireMaxRetries } from '../options/notes-client-options.ts'
import type { Answer, FailedAttempt } from './attempt.ts'
import { sendCall } from './call.ts'
import { nameOf, type Operation } from './operation.ts'
import { refusalOf } from './refusal.ts'
import { requireId } from './required-id.ts'

/** Sends calls to the service, and throws typed errors. */
export interface Transport {
  /** The header `Date` of the latest answer. */
  readonly date: string | null
  /**
   * @throws `NotesClientError`, the signal's reason, or `OptionError` for an id that is not valid in a path
   */
  call(operation: Operation, parameters: CallParameters, options: CallOptions): Promise<Answer>
}

/** The arguments of one call of an operation. */
interface CallParameters {
  /** Replaces the name in braces in the operation's path. */
  readonly id?: string
  readonly query?: URLSearchParams
  readonly body?: object
}

/** Counts the calls of all clients, so that hooks that several clients share can tell calls apart. */
let calls = 0

export function createTransport(settings: ClientSettings): Transport {
  let date: string | null = null
  return {
    get date() {
      return date
    },
    async call(operation, { id, query, body }, options) {
      refuseUnknownOptions(nameOf(operation), options, CALL_OPTIONS)
      const own = ownSettings(options, settings)
      options.signal?.throwIfAborted()
      const [start, name, end = ''] = operation.path.split(/[{}]/)
      const path = name === undefined ? start : `${start}${encodeURIComponent(requireId(name, id))}${end}`
      const url = `${settings.baseUrl}${path}${query === undefined ? '' : `?${query}`}`

      calls += 1
      const call = { callId: calls, operation, url, body, ...own }
      const { outcome, attempts, timeoutMs } = await sendCall(settings, call)
      if (outcome.failure !== undefined) {
        const within = timeoutMs < settings.timeoutMs ? `${own.totalTimeoutMs} ms in all` : `${settings.timeoutMs} ms`
        throw connectionFailure(operation, outcome, attempts, within, settings)
      }
      const { status, headers, text } = outcome
      date = headers.get('date')
      const answer = { operation, status, headers, text, attempts }
      const refusal = refusalOf(answer, settings.apiKey)
      if (refusal !== undefined) throw refusal
      return answer
    },
  }
}

/** @throws `OptionError` for an invalid option */
function ownSettings({ signal, onResponse, ...options }: CallOptions, settings: ClientSettings) {
  const { totalTimeoutMs = settings.totalTimeoutMs, maxRetries = settings.maxRetries, headers = {} } = options
  return {
    signal,
    onResponse,
    totalTimeoutMs: requireDuration('totalTimeoutMs', totalTimeoutMs),
    maxRetries: requireMaxRetries(maxRetries),
    headers: requireHeaders(headers),
  }
}

/**
 * The error of a call without a complete response.
 *
 * @param within  the time limit, in words
 */
function connectionFailure(
  operation: Operation,
  { failure, networkCode }: FailedAttempt,
  attempts: readonly CallAttempt[],
  within: string,
  { baseUrl, baseUrlSource }: ClientSettings,
): ConnectionError {
  const name = nameOf(operation)
  const tries = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const nextStep =
    operation.afterLostAnswer ??
    `${explainNetworkCode(networkCode)}Check that the base URL, which comes from ${baseUrlSource}, is correct and that this machine can reach it, then try again.`
  const reason = networkCode === undefined ? '' : ` (${networkCode})`
  const problem =
    failure === 'timeout'
      ? `no complete answer from ${baseUrl} within ${within}`
      : `the connection to ${baseUrl} failed${reason}`
  return new ConnectionError(failure, name, `${name}: ${problem}, in ${tries}. ${nextStep}`, attempts)
}

function explainNetworkCode(code = ''): string {
  if (code === 'ECONNREFUSED') return 'No program listens at this address. '
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name of the host was not found. '
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'The certificate of the host was not accepted. '
  return ''
}
