import { createHash, createHmac } from 'node:crypto'

/** One attempt, and what a verifier must say to it. `../README.md` describes the fields. */
export interface Vector {
  readonly name: string
  /** Why the contract does not require the refusal. A right verifier may verify this case. */
  readonly stricter_than_contract?: string
  readonly secrets: readonly string[]
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly body_base64?: string
  readonly expected: Expectation
}

type Expectation =
  | { readonly status: 'verified'; readonly secret_index: number }
  | { readonly status: 'refused'; readonly reason: RefusalReason }

type RefusalReason =
  | 'missing-header'
  | 'malformed-header'
  | 'timestamp-too-old'
  | 'timestamp-too-new'
  | 'no-matching-signature'

/** The contents of one file. */
export interface VectorFile {
  readonly description: string
  readonly cases: readonly Vector[]
}

/** 2026-01-01T09:00:00Z, in seconds. */
export const NOW = 1_767_258_000
export const WEBHOOK_ID = 'msg_2mYzXbQ7hT'
export const BODY = JSON.stringify({
  event_id: 'evt_5Jw0c1',
  event_type: 'note.ended',
  occurred_at: '2026-01-01T08:59:58.000Z',
  data: {
    note_id: 'note_81',
    recording_session_id: 'session_3',
    revision: 4,
    transcript_status: 'ready',
    summary_status: 'pending',
  },
})

/** An attempt as it is received. */
interface Attempt {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

interface AttemptTraits {
  readonly key?: Buffer
  readonly webhookId?: string
  readonly timestamp?: string
  readonly body?: string | Buffer
}

/** The bytes of a key, the same for the same label. */
export function keyOf(label: string, length = 32): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${label} ${index}`).digest(),
  )
  return Buffer.concat(blocks).subarray(0, length)
}

/** A key as the service shows it: base64url without padding. */
export function secretOf(key: Buffer): string {
  return `whsec_${key.toString('base64url')}`
}

export const KEY = keyOf('the endpoint')
export const OTHER_KEY = keyOf('another endpoint')

/** The text of a v1 signature (contract §5). */
export function signatureOf({
  key = KEY,
  webhookId = WEBHOOK_ID,
  timestamp = String(NOW),
  body = BODY,
}: AttemptTraits = {}): string {
  return createHmac('sha256', key).update(`${webhookId}.${timestamp}.`).update(body).digest('base64')
}

/** An attempt that is signed as the service signs. */
export function anAttempt(traits: AttemptTraits = {}): Attempt {
  const { webhookId = WEBHOOK_ID, timestamp = String(NOW), body = BODY } = traits
  const headers = {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signatureOf(traits)}`,
  }
  return { headers, body }
}

/** The attempt with other headers; `undefined` takes one away. */
export function withHeaders(attempt: Attempt, changes: Readonly<Record<string, string | undefined>>): Attempt {
  const headers = Object.entries({ ...attempt.headers, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { ...attempt, headers: Object.fromEntries(headers) }
}

/** An attempt whose signatures are these entries. */
export function signedBy(entries: readonly string[], traits: AttemptTraits = {}): Attempt {
  return withHeaders(anAttempt(traits), { 'webhook-signature': entries.join(' ') })
}

/** A vector that must be verified. */
export function verified(
  name: string,
  attempt: Attempt,
  { secrets = [secretOf(KEY)], secretIndex = 0 }: { secrets?: readonly string[]; secretIndex?: number } = {},
): Vector {
  return { name, ...received(attempt, secrets), expected: { status: 'verified', secret_index: secretIndex } }
}

/** A vector that must be refused. */
export function refused(
  name: string,
  reason: RefusalReason,
  attempt: Attempt,
  { secrets = [secretOf(KEY)] }: { secrets?: readonly string[] } = {},
): Vector {
  return { name, ...received(attempt, secrets), expected: { status: 'refused', reason } }
}

/** A refusal that the contract does not require, and why a right verifier may differ. */
export function stricter(why: string, vector: Vector): Vector {
  const { name, ...rest } = vector
  return { name, stricter_than_contract: why, ...rest }
}

function received({ headers, body }: Attempt, secrets: readonly string[]) {
  const content = typeof body === 'string' ? { body } : { body_base64: body.toString('base64') }
  return { secrets, now: NOW, headers, ...content }
}
