import { API_VERSION_PREFIX, type Scope } from '@notewire/protocol'
import type { ApiErrorCode, CallAttempt } from '../errors/notes-client-error.ts'
import { UNSENT_CODES } from './network-cause.ts'

/** One operation of the REST API (contract §4; open points 8 to 10 and 14). */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, with the name of the id in braces. Errors show it like this. */
  readonly path: string
  /** The scope that the contract asks for (§5; open point 23). */
  readonly scope: Scope
  /** Returns what a response means, if its status alone does not say it. */
  readonly judge?: (answer: AnswerFacts) => Verdict | undefined
  /** Whether the request may be sent again: always, only if the service refused it or did not receive it, or never. */
  readonly repeatable: 'always' | 'if_refused' | 'never'
  /** What to do if no answer came and the service may have carried out the operation. */
  readonly afterLostAnswer?: string
}

interface AnswerFacts {
  readonly status: number
  readonly serverCode: string | undefined
  /** The number of requests up to this answer. */
  readonly attempts: number
}

/** What an answer means: the operation is done, or the reason why it is not. */
export type Verdict = 'done' | ApiErrorCode

/** The operation as errors name it: `GET /v1/notes/{note_id}`. */
export function nameOf(operation: Operation): string {
  return `${operation.method} ${operation.path}`
}

/** Whether a failed request may be sent again. With `if_refused`, only if the service has certainly not carried out the operation. */
export function mayBeRepeated({ repeatable }: Operation, failed: CallAttempt | undefined): boolean {
  if (repeatable !== 'if_refused') return repeatable === 'always'
  return failed?.status === 429 || UNSENT_CODES.includes(failed?.networkCode ?? '')
}

const NOTES = `${API_VERSION_PREFIX}/notes`
const NOTE = `${NOTES}/{note_id}`
const ENDPOINTS = `${API_VERSION_PREFIX}/webhook-endpoints`
const ENDPOINT = `${ENDPOINTS}/{endpoint_id}`

const READ = { method: 'GET', repeatable: 'always' } as const
const MANAGE = { scope: 'webhooks:manage', repeatable: 'always', judge: judgeEndpoint } as const

/** The codes with which services reject a cursor, at any status (open point 6). */
const CURSOR_CODES: ReadonlySet<string | undefined> = new Set(['invalid_cursor', 'cursor_expired'])

/** The statuses that mean an unknown cursor, because the list itself was found before. 400 and 422 can also mean another parameter. */
const CURSOR_STATUSES: ReadonlySet<number> = new Set([404, 409, 410])

export const LIST_NOTES: Operation = {
  ...READ,
  path: NOTES,
  scope: 'notes:read',
  judge: ({ serverCode }) => (CURSOR_CODES.has(serverCode) ? 'cursor_expired' : undefined),
}
/** The list of notes, requested with a cursor. */
export const LIST_MORE_NOTES: Operation = {
  ...LIST_NOTES,
  judge: ({ status, serverCode }) =>
    CURSOR_CODES.has(serverCode) || CURSOR_STATUSES.has(status) ? 'cursor_expired' : undefined,
}
export const GET_NOTE: Operation = { ...READ, path: NOTE, scope: 'notes:read' }
export const GET_TRANSCRIPT: Operation = {
  ...READ,
  path: `${NOTE}/transcript`,
  scope: 'transcripts:read',
  judge: judgeContent,
}
export const GET_SUMMARY: Operation = { ...READ, path: `${NOTE}/summary`, scope: 'summaries:read', judge: judgeContent }

export const LIST_ENDPOINTS: Operation = { ...MANAGE, method: 'GET', path: ENDPOINTS }
export const GET_ENDPOINT: Operation = { ...MANAGE, method: 'GET', path: ENDPOINT }
export const UPDATE_ENDPOINT: Operation = { ...MANAGE, method: 'PATCH', path: ENDPOINT }
export const DELETE_ENDPOINT: Operation = {
  ...MANAGE,
  method: 'DELETE',
  path: ENDPOINT,
  // An earlier attempt, whose answer was lost, may have deleted it.
  judge: (answer) => (answer.status === 404 && answer.attempts > 1 ? 'done' : judgeEndpoint(answer)),
}
export const CREATE_ENDPOINT: Operation = {
  ...MANAGE,
  method: 'POST',
  path: ENDPOINTS,
  repeatable: 'never',
  afterLostAnswer:
    'The service may have created the endpoint. List the endpoints and look for its URL: if the endpoint is there, rotate its secret to get a signing secret; otherwise create the endpoint again.',
}
export const SEND_TEST: Operation = {
  ...MANAGE,
  method: 'POST',
  path: `${ENDPOINT}/test`,
  repeatable: 'if_refused',
  afterLostAnswer:
    'The service may have sent the test event. If it does not arrive, send it again; you may then receive two test events.',
}
export const ROTATE_SECRET: Operation = {
  ...MANAGE,
  method: 'POST',
  path: `${ENDPOINT}/rotate-secret`,
  repeatable: 'if_refused',
  afterLostAnswer: 'The service may have rotated the secret. Call again: the response contains the current secret.',
}

/**
 * Services answer content that is not ready in several ways (open points 9 and 10). A 404 without the code `not_ready` says nothing
 * about the note: the content may not be ready, or the note may be gone.
 */
function judgeContent({ status, serverCode }: AnswerFacts): Verdict | undefined {
  if (status === 202 || status === 409) return 'not_ready'
  if (status !== 404) return undefined
  return serverCode === 'not_ready' ? 'not_ready' : 'content_not_found'
}

/** A 404 means a missing endpoint only if its code says so. Any other 404 means a missing operation (open point 14). */
function judgeEndpoint({ status, serverCode }: AnswerFacts): Verdict | undefined {
  return status === 404 && serverCode !== 'not_found' ? 'not_supported' : undefined
}
