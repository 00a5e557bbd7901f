import { NotewireError } from '@notewire/protocol'

/**
 * A call of the client that failed. The message and the fields never contain the API key or note content.
 *
 * Two failures are no `NotesClientError`: an aborted call rejects with the reason of its signal, and an invalid argument throws an
 * `OptionError` before anything is sent.
 *
 * @example
 * ```ts
 * import { NotesClient, NotesClientError } from '@notewire/client'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
 *
 * try {
 *   console.log((await client.notes.transcript('note_1')).text)
 * } catch (error) {
 *   if (!(error instanceof NotesClientError && error.code === 'not_ready')) throw error
 *   console.log('not transcribed yet')
 * }
 * ```
 */
export class NotesClientError extends NotewireError<ClientErrorCode> {
  /** Method and path, with the names of ids in place of the ids: `GET /v1/notes/{note_id}`. */
  readonly operation: string
  /** Every request that the call made, in order. Empty if the error is not about one call. */
  readonly attempts: readonly CallAttempt[]

  constructor(code: ClientErrorCode, operation: string, message: string, attempts: readonly CallAttempt[] = []) {
    super(code, message)
    this.operation = operation
    this.attempts = attempts
  }
}

/** The codes of an `ApiError`. */
export type ApiErrorCode =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'not_supported'
  | 'not_ready'
  | 'content_not_found'
  | 'invalid_request'
  | 'cursor_expired'
  | 'rate_limited'
  | 'redirect_refused'
  | 'server_error'
  | 'unexpected_status'

/** Every `code` of a `NotesClientError`. The list is closed, so that a `switch` over it can be exhaustive. */
export type ClientErrorCode =
  | ApiErrorCode
  | 'network_error'
  | 'timeout'
  | 'invalid_response'
  | 'cursor_repeated'
  | 'endpoint_not_active'

/** One request of a failed call. */
export interface CallAttempt {
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** Why no complete answer came. */
  readonly failure: 'timeout' | 'network_error' | undefined
  /** The runtime's code for the failure, if there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode: string | undefined
  /** The delay before it, in milliseconds; 0 for the first request. */
  readonly delayMs: number
}
