import { refuseUnknownOptions } from '@notewire/protocol'
import { type CallAttempt, ConnectionError } from '../errors/notes-client-error.ts'
import type { CallOptions } from '../options/call-options.ts'
import { requireDuration } from '../options/duration.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
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
      refuseUnknownOptions(nameOf(operation), options, ['signal', 'totalTimeoutMs'])
      const { signal } = options
      const totalTimeoutMs = requireDuration('totalTimeoutMs', options.totalTimeoutMs ?? settings.totalTimeoutMs)
      signal?.throwIfAborted()
      const [start, name, end = ''] = operation.path.split(/[{}]/)
      const path = name === undefined ? start : `${start}${encodeURIComponent(requireId(name, id))}${end}`
      const url = `${settings.baseUrl}${path}${query === undefined ? '' : `?${query}`}`

      calls += 1
      const call = { callId: calls, operation, url, body, signal, totalTimeoutMs }
      const { outcome, attempts, timeoutMs } = await sendCall(settings, call)
      if (outcome.failure !== undefined) {
        const within = timeoutMs < settings.timeoutMs ? `${totalTimeoutMs} ms in all` : `${settings.timeoutMs} ms`
        throw connectionFailure(operation, outcome, attempts, within)
      }
      const { status, headers, text } = outcome
      date = headers.get('date')
      const answer = { operation, status, headers, text, attempts }
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      return answer
    },
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
