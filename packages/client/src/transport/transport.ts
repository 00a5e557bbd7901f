import { refuseUnknownOptions } from '@notewire/protocol'
import type { CallOptions } from '../options/call-options.ts'
import { requireDuration } from '../options/duration.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import type { Answer } from './answer.ts'
import { sendCall } from './call.ts'
import { connectionFailure } from './connection-failure.ts'
import { nameOf, type Operation } from './operation.ts'
import { refusalOf } from './refusal.ts'
import { requireId } from './required-id.ts'

/** Sends calls to the service, and throws typed errors. */
export interface Transport {
  /** The header `Date` of the latest answer. */
  readonly date: string | null
  /**
   * @throws `NotesClientError`, the signal's reason, or `OptionError` for an id that cannot stand in a path
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
