import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { NOTE_EVENT_KINDS, SIGNATURE_HEADERS, SIGNATURE_VERSION, SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { createVerifier } from '@notewire/webhooks/verify'

export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Where the body is split into two parts that are sent one after the other. */
  readonly splitAt?: number | undefined
}

/** How a request differs from a valid delivery. */
export interface DeliveryTraits {
  /** The body that is signed. It is also sent, unless `sentBody` is set. */
  readonly body: string | Uint8Array
  readonly sentBody?: string
  readonly webhookId?: string
  /** The text of the header. Default: the current Unix time in seconds. */
  readonly timestamp?: string
  /** Makes the signature header from the valid signature in base64. Default: `v1,` and the signature. */
  readonly signature?: (valid: string) => string
  readonly signer: Signer
  /** Replaces headers after signing; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Changes the names of the headers. Default: lower case. */
  readonly rename?: (name: string) => string
  readonly method?: string
  readonly splitAt?: number
  readonly url: URL
}

/** Removes the three headers. */
export const UNSIGNED: Readonly<Record<string, undefined>> = Object.fromEntries(
  Object.values(SIGNATURE_HEADERS).map((name) => [name, undefined]),
)

export function makeDelivery(traits: DeliveryTraits): Delivery {
  const { method = 'POST', url, signer, signature = versioned, body, sentBody = body } = traits
  const { timestamp = secondsFromNow(0), rename = (name) => name, splitAt } = traits
  // Some verifiers fail for signatures with these characters. Only the checks for them may notice it, or failures would look random.
  const isPlain = (valid: string) => !/[+/]/.test(valid)
  const { webhookId = idForSignature(isPlain, { signer, timestamp, body }) } = traits
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'user-agent': 'notewire-doctor',
    [SIGNATURE_HEADERS.id]: webhookId,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: signature(signer.sign(webhookId, timestamp, Buffer.from(body))),
    ...traits.headers,
  }
  return {
    method,
    url,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[rename(name), value]])),
    ),
    body: Buffer.from(sentBody),
    splitAt,
  }
}

/** A new `webhook-id` with which the valid signature has a property. */
export function idForSignature(
  hasProperty: (valid: string) => boolean,
  { signer, timestamp, body }: Required<Pick<DeliveryTraits, 'signer' | 'timestamp' | 'body'>>,
): string {
  // Limited, because some wrong signatures do not depend on the ID, and the body of a check may have 4 MiB.
  for (let tries = body.length > 65_536 ? 1 : 200; tries > 1; tries -= 1) {
    const webhookId = testId('attempt')
    if (hasProperty(signer.sign(webhookId, timestamp, Buffer.from(body)))) return webhookId
  }
  return testId('attempt')
}

/** Large bodies are left out of the response times, because the network dominates them. */
export function isLarge({ body }: Delivery): boolean {
  return body.length > 65_536
}

export function versioned(signature: string): string {
  return `${SIGNATURE_VERSION},${signature}`
}

export function secondsFromNow(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) + seconds)
}

/** Signs any ID, timestamp and bytes, also invalid ones (contract §5). */
export interface Signer {
  /** Returns the signature in standard base64, without its version. */
  sign(webhookId: string, timestamp: string, body: Uint8Array): string
}

export interface Secret {
  readonly text: string
  readonly encodedKey: string
  readonly key: Buffer
  readonly signer: Signer
}

/** @throws `SecretError` if the secret is malformed */
export function secretOf(text: string): Secret {
  // The verifier explains what is wrong with a malformed secret; Buffer would decode it anyway.
  createVerifier({ secret: text })
  const encodedKey = text.slice(SIGNING_SECRET_PREFIX.length)
  const key = Buffer.from(encodedKey, 'base64url')
  return { text, encodedKey, key, signer: signerWithKey(key) }
}

/** Signs with a random key, which no receiver accepts. */
export function signerWithRandomKey(): Signer {
  return signerWithKey(randomBytes(32))
}

/** Signs with any key, including wrong keys that receivers use by mistake. */
export function signerWithKey(key: Uint8Array): Signer {
  return {
    sign: (webhookId, timestamp, body) =>
      createHmac('sha256', key).update(`${webhookId}.${timestamp}.`).update(body).digest('base64'),
  }
}

/** Fields to add to an event, or to replace; `undefined` removes one. */
export type Fields = Readonly<Record<string, unknown>>

export interface TestEvent {
  readonly event_id: string
  readonly event_type: string
  readonly occurred_at: string
  readonly data: Fields
}

/**
 * How long ago the events of the doctor occurred: long enough that a 404 for their notes is not a replica that lags (open point 36),
 * also if the clocks of this machine and of the service differ by a minute. The header `webhook-timestamp` has the current time.
 */
const EVENT_AGE_MS = 180_000

/** Makes an event of the contract's shape (§6) about a note that does not exist. */
export function testEvent(kind: string, data: Fields = {}, fields: Fields = {}): TestEvent {
  return {
    event_id: testId('event'),
    event_type: kind,
    occurred_at: new Date(Date.now() - EVENT_AGE_MS).toISOString(),
    data: { ...dataOf(kind), ...data },
    ...fields,
  }
}

export function eventBody(kind = 'note.updated', data: Fields = {}, fields: Fields = {}): string {
  return JSON.stringify(testEvent(kind, data, fields))
}

/** The event of a delivery, if its body is one. */
export function eventOf({ body }: Delivery): TestEvent | undefined {
  try {
    const event = JSON.parse(body.toString())
    return typeof event?.event_id === 'string' && typeof event.data === 'object' && event.data !== null
      ? event
      : undefined
  } catch {
    return undefined
  }
}

export function bodyOf(event: TestEvent): { readonly body: string } {
  return { body: JSON.stringify(event) }
}

/** A kind of event. `note.deleted` has one entry per reason. */
export interface EventKind {
  readonly name: string
  readonly kind: string
  readonly event: (data?: Fields) => TestEvent
}

export const NOTE_KINDS: readonly EventKind[] = [
  ...NOTE_EVENT_KINDS.map((name) => kindOf(name)),
  {
    name: 'note.deleted (access_lost)',
    kind: 'note.deleted',
    event: (data) => testEvent('note.deleted', { reason: 'access_lost', ...data }),
  },
]

/** Every kind, and two that do not exist. */
export const KINDS: readonly EventKind[] = [
  ...NOTE_KINDS,
  ...['endpoint.verification', 'endpoint.test', 'note.doctor_made_this_up', 'doctor.made_this_up'].map((name) =>
    kindOf(name),
  ),
]

function kindOf(kind: string): EventKind {
  return { name: kind, kind, event: (data) => testEvent(kind, data) }
}

/** A new ID. Every ID of the doctor starts with `doctor_`, so that it never names a real note. */
export function testId(of: 'event' | 'note' | 'session' | 'endpoint' | 'attempt'): string {
  return `doctor_${of}_${randomUUID().replaceAll('-', '').slice(0, 20)}`
}

function dataOf(kind: string): Fields {
  if (kind.startsWith('endpoint.')) return { endpoint_id: testId('endpoint') }
  return {
    note_id: testId('note'),
    revision: 2,
    transcript_status: 'ready',
    summary_status: 'pending',
    ...(kind === 'note.ended' && { recording_session_id: testId('session') }),
    ...(kind === 'note.deleted' && { reason: 'deleted' }),
  }
}
