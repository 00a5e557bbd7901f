import { API_VERSION_PREFIX, type Scope } from '@notewire/protocol'
import type { ApiErrorCode } from '../errors/client-error-code.ts'

/** One operation of the REST API (contract §4; open points 8 to 10 and 14). */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path with the name of the id in braces: it stands for the real one in errors. */
  readonly path: string
  /** The scope that the contract asks for (§5; open point 23). */
  readonly scope: Scope
  /** What an answer means here, when its status alone does not tell. */
  readonly judge?: (answer: AnswerFacts) => Verdict | undefined
  /**
   * Whether the request may be sent again: always, or only when the service refused it unseen or never got it, or never,
   * not even then.
   */
  readonly repeatable: 'always' | 'if_refused' | 'never'
  /** What to do when no answer came and the service may have done it all the same. */
  readonly afterLostAnswer?: string
}

/** What an answer is judged by. */
interface AnswerFacts {
  readonly status: number
  readonly serverCode: string | undefined
  /** How many requests it took to get this answer. */
  readonly attempts: number
}

/** What an answer means: the operation is done, or why it is not. */
export type Verdict = 'done' | ApiErrorCode

/** The operation as errors name it: `GET /v1/notes/{note_id}`. */
export function nameOf(operation: Operation): string {
  return `${operation.method} ${operation.path}`
}

const NOTES = `${API_VERSION_PREFIX}/notes`
const ENDPOINTS = `${API_VERSION_PREFIX}/webhook-endpoints`

export const LIST_NOTES: Operation = {
  method: 'GET',
  path: NOTES,
  scope: 'notes:read',
  repeatable: 'always',
  judge: ({ serverCode }) => (serverCode === 'invalid_cursor' ? 'cursor_expired' : undefined),
}

export const GET_NOTE: Operation = {
  method: 'GET',
  path: `${NOTES}/{note_id}`,
  scope: 'notes:read',
  repeatable: 'always',
}

export const GET_TRANSCRIPT: Operation = {
  method: 'GET',
  path: `${NOTES}/{note_id}/transcript`,
  scope: 'transcripts:read',
  repeatable: 'always',
  judge: judgeContent,
}

export const GET_SUMMARY: Operation = {
  method: 'GET',
  path: `${NOTES}/{note_id}/summary`,
  scope: 'summaries:read',
  repeatable: 'always',
  judge: judgeContent,
}

export const CREATE_ENDPOINT: Operation = {
  method: 'POST',
  path: ENDPOINTS,
  scope: 'webhooks:manage',
  repeatable: 'never',
  judge: judgeEndpoint,
  afterLostAnswer:
    'The endpoint may exist all the same: look for its url in webhookEndpoints.list(); if it is there, rotateSecret() shows a secret, else create it again.',
}

export const LIST_ENDPOINTS: Operation = {
  method: 'GET',
  path: ENDPOINTS,
  scope: 'webhooks:manage',
  repeatable: 'always',
  judge: judgeEndpoint,
}

export const GET_ENDPOINT: Operation = {
  method: 'GET',
  path: `${ENDPOINTS}/{endpoint_id}`,
  scope: 'webhooks:manage',
  repeatable: 'always',
  judge: judgeEndpoint,
}

export const UPDATE_ENDPOINT: Operation = {
  method: 'PATCH',
  path: `${ENDPOINTS}/{endpoint_id}`,
  scope: 'webhooks:manage',
  repeatable: 'always',
  judge: judgeEndpoint,
}

export const DELETE_ENDPOINT: Operation = {
  method: 'DELETE',
  path: `${ENDPOINTS}/{endpoint_id}`,
  scope: 'webhooks:manage',
  repeatable: 'always',
  // An earlier attempt, whose answer was lost, may have deleted it.
  judge: (answer) => (answer.status === 404 && answer.attempts > 1 ? 'done' : judgeEndpoint(answer)),
}

export const SEND_TEST: Operation = {
  method: 'POST',
  path: `${ENDPOINTS}/{endpoint_id}/test`,
  scope: 'webhooks:manage',
  repeatable: 'if_refused',
  judge: judgeEndpoint,
  afterLostAnswer: 'The test may be on its way all the same. Call again: at worst, two of them arrive.',
}

export const ROTATE_SECRET: Operation = {
  method: 'POST',
  path: `${ENDPOINTS}/{endpoint_id}/rotate-secret`,
  scope: 'webhooks:manage',
  repeatable: 'if_refused',
  judge: judgeEndpoint,
  afterLostAnswer: 'The secret may have changed all the same. Call again: the answer shows the newest one.',
}

/** A transcript or summary that is not there yet has many answers (open points 9 and 10). */
function judgeContent({ status, serverCode }: AnswerFacts): Verdict | undefined {
  if (status === 202 || status === 409) return 'not_ready'
  return status === 404 && serverCode === 'not_ready' ? 'not_ready' : undefined
}

/** Only an answer that says so means a missing endpoint; any other 404 means a missing operation (open point 14). */
function judgeEndpoint({ status, serverCode }: AnswerFacts): Verdict | undefined {
  return status === 404 && serverCode !== 'not_found' ? 'not_supported' : undefined
}
