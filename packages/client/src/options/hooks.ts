import { callHook } from '@notewire/protocol'

/**
 * Functions that the client calls, for traces, metrics and logs. They receive names, numbers and statuses, never the API key, an id or
 * note content. If they throw or reject, the client ignores it.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 *
 * const client = new NotesClient({
 *   baseUrl: 'https://notes.example',
 *   apiKey: 'ntw_live_k7.s3cret',
 *   hooks: {
 *     onRetry: ({ operation, status, failure, delayMs }) => console.warn(operation, status ?? failure, delayMs),
 *     onDrift: ({ resource, field, value }) => console.info('new in the service:', resource, field, value),
 *   },
 * })
 * ```
 */
export interface NotesClientHooks {
  /** A request is about to be sent. */
  readonly onRequest?: ((request: RequestNotice) => void) | undefined
  /** A request has ended, with an answer or without one: once for each `onRequest`. */
  readonly onResponse?: ((response: ResponseNotice) => void) | undefined
  /** A request has failed, the delay is over, and the request is about to be sent again. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined
  /**
   * The service sent a field or a value that this version does not know, or a field of another type. Called once for each. An unknown field or
   * value is kept, and a newer version may know it. An optional field of another type is left out, and so is a listed note without a usable
   * identifier or revision (open point 39).
   */
  readonly onDrift?: ((drift: DriftNotice) => void) | undefined
}

/** One request of one call. */
export interface RequestNotice {
  /** The same for every request of one call, and of no other call in this process. */
  readonly callId: number
  /** Method and path, with the names of ids in place of the ids: `GET /v1/notes/{note_id}`. */
  readonly operation: string
  /** 1 for the first request of its call, 2 for its first retry. */
  readonly attempt: number
}

/** How a request ended. */
export interface ResponseNotice extends RequestNotice {
  /** The HTTP status, if an answer came. */
  readonly status: number | undefined
  /** Why no complete answer came. */
  readonly failure: 'timeout' | 'network_error' | 'aborted' | undefined
  /** The runtime's code for the failure, when there is one: `ECONNREFUSED`. */
  readonly networkCode: string | undefined
  /** The service's id for the request (header `x-request-id`), if it sent one. */
  readonly requestId: string | undefined
  /** From the request to the last byte of its answer, in milliseconds with fractions. */
  readonly durationMs: number
}

/** A request that failed, and the delay after it. */
export interface RetryNotice extends ResponseNotice {
  /** How long the client waited, in milliseconds. */
  readonly delayMs: number
}

/** A field or a value that this version does not know, or a field of another type. */
export interface DriftNotice {
  /** The resource that contains it: `note`, `note.owner`, `transcript`, `transcript.segments`, `summary`, `webhook_endpoint`. */
  readonly resource: string
  /** The name of the field; `?` if it is not a short name. */
  readonly field: string
  /** The unknown value of a known field, if it is one short word; otherwise `undefined`. */
  readonly value: string | undefined
  /** The type or form that the contract requires, in words, if the field has another type. */
  readonly expected?: string | undefined
  /** The type that the service sent, if the field has another type: `number`, `array`, `nothing`, … Never the value. */
  readonly found?: string | undefined
}

/**
 * Adds a line for each request, if the environment variable `NOTES_LOG` is `debug`. The lines contain no key, no id of a note and no content.
 *
 * @param logger  `console.error` writes to the standard error, so that the output of a program stays usable
 */
export function withDebugLog(
  hooks: NotesClientHooks,
  level: string | undefined,
  logger: Pick<Console, 'error'> = console,
): NotesClientHooks {
  if (level !== 'debug') return hooks
  return {
    ...hooks,
    onResponse(response) {
      callHook(hooks.onResponse, response)
      logger.error(lineOf(response))
    },
    onRetry(retry) {
      callHook(hooks.onRetry, retry)
      logger.error(`notewire: call ${retry.callId}: sent again after ${retry.delayMs} ms`)
    },
  }
}

function lineOf({ callId, operation, attempt, status, failure, networkCode, requestId, durationMs }: ResponseNotice) {
  const which = attempt === 1 ? '' : `, attempt ${attempt}`
  const end = status ?? [failure, networkCode].filter((word) => word !== undefined).join(' ')
  const request = requestId === undefined ? '' : `, request ${requestId}`
  return `notewire: call ${callId}: ${operation}${which}: ${end} in ${Math.round(durationMs)} ms${request}`
}
