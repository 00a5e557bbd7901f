import { type EndpointStatus, NotewireError } from '@notewire/protocol'

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
  | 'listing_endless'
  | 'endpoint_not_active'

/** One request of a failed call. */
export interface CallAttempt {
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** Why no complete answer came. */
  readonly failure: 'timeout' | 'network_error' | undefined
  /**
   * The runtime's code for the failure, if there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`; `Z_BUF_ERROR` for a compressed
   * response that ends early.
   */
  readonly networkCode: string | undefined
  /** The delay before it, in milliseconds; 0 for the first request. */
  readonly delayMs: number
}

/** No complete answer came: code `network_error` or `timeout`. */
export class ConnectionError extends NotesClientError {
  /** The runtime's code for the failure, if there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode: string | undefined

  constructor(
    code: 'network_error' | 'timeout',
    operation: string,
    message: string,
    attempts: readonly CallAttempt[] = [],
  ) {
    super(code, operation, message, attempts)
    this.networkCode = attempts.at(-1)?.networkCode
  }
}

/** The status of the response is a success, but its body does not match the contract: code `invalid_response`. */
export class InvalidResponseError extends NotesClientError {
  /** The path of the first problem: `notes[3].revision`. Empty if it is the whole body. */
  readonly path: string
  /** The HTTP status of the answer. */
  readonly status: number
  /** The service's name for this request (header `x-request-id`): quote it when you report a problem. */
  readonly requestId: string | undefined

  constructor(message: string, facts: InvalidResponseFacts) {
    super('invalid_response', facts.operation, message, facts.attempts)
    this.path = facts.path
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** The facts of a response that could not be read. */
export interface InvalidResponseFacts {
  readonly operation: string
  readonly path: string
  readonly status: number
  readonly requestId: string | undefined
  readonly attempts: readonly CallAttempt[]
}

/** An endpoint did not become active in time: code `endpoint_not_active` (contract §3). */
export class EndpointNotActiveError extends NotesClientError {
  /** The endpoint's status when it was last read. */
  readonly lastStatus: EndpointStatus | null | undefined

  constructor(operation: string, message: string, lastStatus: EndpointStatus | null | undefined) {
    super('endpoint_not_active', operation, message)
    this.lastStatus = lastStatus
  }
}
