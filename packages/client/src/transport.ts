import { refuseUnknownOptions } from '@notewire/protocol'
import ky, { HTTPError, TimeoutError } from 'ky'
import type { Answer } from './answer.ts'
import type { CallOptions } from './call-options.ts'
import { connectionFailure } from './connection-failure.ts'
import type { ClientSettings } from './notes-client-options.ts'
import { nameOf, type Operation } from './operation.ts'
import { refusalOf } from './refusal.ts'
import { requireId } from './required-id.ts'

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

// A longer pause would look like a hang. The last error still tells the pause that the service asked for.
const LONGEST_PAUSE_MS = 60_000
const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504]
// What may be done twice. A POST may not.
const RETRIED_METHODS = ['get', 'patch', 'delete']

/** Makes the transport. The key lives in its closure, where nothing that inspects or serialises can see it. */
export function createTransport({ baseUrl, apiKey, fetch, timeoutMs, maxRetries }: ClientSettings): Transport {
  const bodies = new WeakMap<Response, string>()

  const http = ky.create({
    headers: { accept: 'application/json' },
    redirect: 'manual',
    timeout: timeoutMs,
    retry: {
      limit: maxRetries,
      methods: RETRIED_METHODS,
      statusCodes: RETRIED_STATUSES,
      afterStatusCodes: RETRIED_STATUSES,
      maxRetryAfter: LONGEST_PAUSE_MS,
      backoffLimit: LONGEST_PAUSE_MS,
      jitter: true,
      retryOnTimeout: true,
      // Anything else is what fetch threw, and every runtime has its own words for a connection that failed.
      shouldRetry: ({ error }) => (error instanceof HTTPError || error instanceof TimeoutError ? undefined : true),
    },
    async fetch(input, init) {
      // Only here does the key enter, so that no error of ky's, which hold their request, can hold it.
      const request = new Request(input, init)
      request.headers.set('authorization', `Bearer ${apiKey}`)
      const response = await fetch(request)
      // An attempt ends with its last byte: a slow or broken body times out and is retried like any other failure.
      bodies.set(response, await response.text())
      return response
    },
  })

  return {
    async call(operation, { id, query, body }, options) {
      refuseUnknownOptions(nameOf(operation), options, ['signal'])
      const { signal } = options
      signal?.throwIfAborted()
      const path = operation.path.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(requireId(name, id)))
      let attempts = 1

      const response = await http(`${baseUrl}${path}${query === undefined ? '' : `?${query}`}`, {
        method: operation.method,
        ...(body && { json: body }),
        ...(signal && { signal }),
        hooks: {
          beforeRetry: [
            () => {
              attempts += 1
            },
          ],
        },
      }).catch((thrown: unknown) => {
        signal?.throwIfAborted()
        if (thrown instanceof HTTPError) return thrown.response
        throw connectionFailure(operation, thrown, { attempts, timeoutMs })
      })

      const { status, headers } = response
      const answer = { operation, status, headers, text: bodies.get(response) ?? '', attempts }
      const refusal = refusalOf(answer)
      if (refusal !== undefined) throw refusal
      return answer
    },
  }
}
