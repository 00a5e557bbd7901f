import { refuseUnknownOptions } from '@notewire/protocol'
import type { CallOptions } from '../call-options.ts'
import { requireDuration } from '../duration.ts'
import type { ClientSettings } from '../notes-client-options.ts'
import { requireId } from '../required-id.ts'
import type { Answer } from './answer.ts'
import { connectionFailure } from './connection-failure.ts'
import { nameOf, type Operation } from './operation.ts'
import { createPersistence } from './persistence.ts'
import { refusalOf } from './refusal.ts'

/** Carries calls to the service: retries, timeouts, the API key, and typed errors for what goes wrong. */
export interface Transport {
  /**
   * @throws `NotesClientError`, the signal's reason, or `OptionError` for an id that cannot stand in a path
   */
  call(operation: Operation, parameters: CallParameters, options: CallOptions): Promise<Answer>
}

/** What varies between two calls of one operation. */
interface CallParameters {
  /** Takes the place of the braces in the operation's path. */
  readonly id?: string
  readonly query?: URLSearchParams
  readonly body?: object
}

export function createTransport(settings: ClientSettings): Transport {
  const persist = createPersistence(settings)
  return {
    async call(operation, { id, query, body }, options) {
      refuseUnknownOptions(nameOf(operation), options, ['signal', 'totalTimeoutMs'])
      const { signal } = options
      const totalTimeoutMs = requireDuration('totalTimeoutMs', options.totalTimeoutMs ?? settings.totalTimeoutMs)
      signal?.throwIfAborted()
      const path = operation.path.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(requireId(name, id)))
      const url = `${settings.baseUrl}${path}${query === undefined ? '' : `?${query}`}`

      const { outcome, attempts, timeoutMs } = await persist({ operation, url, body, signal, totalTimeoutMs })
      if (outcome.failure !== undefined) {
        const within = timeoutMs < settings.timeoutMs ? `${totalTimeoutMs} ms in all` : `${timeoutMs} ms`
        throw connectionFailure(operation, outcome, attempts, within)
      }
      const { status, headers, text } = outcome
      const answer = { operation, status, headers, text, attempts }
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      return answer
    },
  }
}
