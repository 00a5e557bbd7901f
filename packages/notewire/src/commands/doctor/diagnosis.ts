import { createHmac } from 'node:crypto'
import { failed, type Outcome, warned } from './check.ts'
import { bodyOf, type DeliveryTraits, eventBody, eventOf, signerWithKey, testEvent, versioned } from './delivery.ts'
import type { Examination } from './examination.ts'
import { causeOfLoss } from './lost-event.ts'
import { type Exchange, isAccepted, isRejected, type Reply, seconds } from './send.ts'

const CLOCK_OFF_BY_MS = 240_000

const NOTE_NOT_FOUND =
  'the receiver accepts endpoint.test, so the signature is right and the handler fails. The handler probably reads the note, and the ' +
  "doctor's notes do not exist at the service. A note that was deleted in the meantime does not exist either: accept its events"

const KIND_REJECTED =
  'the receiver accepts endpoint.test, so the signature is right. It rejects this kind of event, or the fields of the event'

const SIGNED = 'compute it over "{id}.{timestamp}.{body}"'

const CSRF = '; or a check against CSRF answers 403, from which the route must be exempt'

const NOTE_UNKNOWN =
  'it accepts the event only about a note of which it has accepted note.ended before. Events arrive in any order, and each rejection ' +
  'is a failed delivery: create the note, or answer 2xx and ignore the event'

/**
 * The outcome for a valid event about a note that the receiver did not accept. Only a warning if the receiver accepts
 * `endpoint.test` and answered 5xx, 404 or 410: then the handler probably looked for a note that does not exist.
 */
export async function unacceptedNoteEvent(
  examination: Examination,
  exchange: Exchange,
  seen: string,
): Promise<Outcome> {
  const { deliver } = examination
  const lost = await causeOfLoss(examination, exchange)
  if (lost?.isCertain) return failed(exchange, seen, lost.cause)
  const status = exchange.reply.kind === 'answered' ? exchange.reply.status : 0
  const isNotFound = status >= 500 || status === 404 || status === 410
  const outcome = isNotFound ? warned : failed
  if (lost !== undefined) return outcome(exchange, seen, lost.cause)
  if (await acceptsOfKnownNote(examination, exchange)) return outcome(exchange, seen, NOTE_UNKNOWN)
  const { reply } = await deliver({ body: eventBody('endpoint.test') })
  if (!isAccepted(reply)) return failed(exchange, seen)
  return outcome(exchange, seen, isNotFound ? NOTE_NOT_FOUND : KIND_REJECTED)
}

/** Whether the receiver accepts such an event about a note of which it has accepted `note.ended`. */
async function acceptsOfKnownNote({ deliver }: Examination, { delivery }: Exchange): Promise<boolean> {
  const event = eventOf(delivery)
  if (event === undefined || event.event_type === 'note.ended') return false
  const creation = testEvent('note.ended', { revision: 1 })
  if (!isAccepted((await deliver(bodyOf(creation))).reply)) return false
  const { note_id } = creation.data
  const later = testEvent(event.event_type, { ...event.data, note_id, revision: 2 })
  return isAccepted((await deliver(bodyOf(later))).reply)
}

/** Finds the cause why a receiver accepts no valid delivery: from its answer, or by sending what receivers with known mistakes accept. */
export async function diagnoseRejection(examination: Examination): Promise<string | undefined> {
  const { first, deliver } = examination
  const cause = causeByAnswer(first.reply, examination)
  if (cause !== undefined || !isRejected(first.reply)) return cause
  for (const [mistake, traits] of knownMistakes(examination)) {
    if (isAccepted((await deliver(traits)).reply)) return mistake
  }
  const isForbidden = first.reply.kind === 'answered' && first.reply.status === 403
  return `the receiver uses another secret than this command, or it verifies other bytes than the raw body${isForbidden ? CSRF : ''}`
}

function causeByAnswer(reply: Reply, { secrets: [{ encodedKey }] }: Examination): string | undefined {
  if (reply.kind !== 'answered') return undefined
  const { status, dateMs } = reply
  const clockOffMs = dateMs === undefined ? 0 : Math.abs(Date.now() - dateMs)
  if (clockOffMs > CLOCK_OFF_BY_MS) return `its clock is off by ${seconds(clockOffMs)}, according to its Date header`
  if (status === 404 || status === 405) return 'it has no route for POST at this path'
  if (status === 413) return 'it rejects bodies of this size'
  if (status === 415) return 'it rejects the Content-Type application/json'
  if (status === 429) return 'its rate limit rejects deliveries'
  if (status === 503) return 'it answers that it is not ready; it may have no signing secret'
  if (status < 500) return undefined
  const isHardToDecode = /[-_]/.test(encodedKey) || encodedKey.length % 4 !== 0
  const decoding = '. It may decode the secret as standard base64 with padding; the secret is base64url without padding'
  return `it throws an error while it verifies or handles the delivery: read its log${isHardToDecode ? decoding : ''}`
}

/** Mistakes of receivers, each with a delivery that only a receiver with this mistake accepts. */
function knownMistakes({
  secrets: [{ text, encodedKey, key }, second],
}: Examination): readonly (readonly [cause: string, traits: Partial<DeliveryTraits>])[] {
  const body = eventBody()
  const keyedWith = (other: Uint8Array) => ({ signer: signerWithKey(other) })
  const signedOver = (contentOf: (id: string, timestamp: string) => string, algorithm = 'sha256') => ({
    body,
    signer: {
      sign: (id: string, timestamp: string) =>
        createHmac(algorithm, key).update(contentOf(id, timestamp)).digest('base64'),
    },
  })
  const serialized = (changed: string) => signedOver((id, timestamp) => `${id}.${timestamp}.${changed}`)
  const written = (write: (signature: Buffer) => string) => ({
    signature: (valid: string) => write(Buffer.from(valid, 'base64')),
  })
  return [
    ['it accepts only v2 signatures: accept entries that start with "v1,"', { signature: (valid) => `v2,${valid}` }],
    [`it leaves webhook-id out of the HMAC: ${SIGNED}`, signedOver((_, time) => `${time}.${body}`)],
    [`it leaves webhook-timestamp out of the HMAC: ${SIGNED}`, signedOver((id) => `${id}.${body}`)],
    [`it computes the HMAC over the body alone: ${SIGNED}`, signedOver(() => body)],
    [`it puts webhook-timestamp before webhook-id: ${SIGNED}`, signedOver((id, time) => `${time}.${id}.${body}`)],
    [`it leaves the dots out of the HMAC: ${SIGNED}`, signedOver((id, time) => id + time + body)],
    [
      'it removes all letters of "whsec_" from the beginning of the secret, as lstrip does: remove only the prefix',
      keyedWith(Buffer.from(text.replace(/^[whsec_]+/, ''), 'base64url')),
    ],
    [
      'it splits the secret at "_", which base64url contains: remove only the prefix',
      keyedWith(Buffer.from(text.split('_')[1] ?? '', 'base64url')),
    ],
    ['it uses SHA-1: use SHA-256', signedOver((id, time) => `${id}.${time}.${body}`, 'sha1')],
    ['it uses SHA-512: use SHA-256', signedOver((id, time) => `${id}.${time}.${body}`, 'sha512')],
    [
      'it uses the whole secret as the key: remove whsec_ and decode the rest as base64url',
      keyedWith(Buffer.from(text)),
    ],
    ['it uses the text after whsec_ as the key: decode it as base64url', keyedWith(Buffer.from(encodedKey))],
    [
      'it decodes the secret as standard base64, which drops "-" and "_": decode it as base64url',
      keyedWith(Buffer.from(encodedKey.replaceAll(/[-_]/g, ''), 'base64')),
    ],
    ...(second === undefined
      ? []
      : [['it accepts only the second secret: configure the first, or both', { signer: second.signer }] as const]),
    [
      'it verifies JSON that was parsed and serialized again (as json.dumps does): verify the raw body',
      serialized(asPythonWrites(body)),
    ],
    [
      'it verifies JSON that was parsed and serialized again with sorted keys: verify the raw body',
      serialized(JSON.stringify(withSortedKeys(JSON.parse(body)))),
    ],
    [
      'it expects the signature in hex: decode it as standard base64',
      written((bytes) => versioned(bytes.toString('hex'))),
    ],
    [
      'it expects the base64 of the hex digest: encode the bytes of the digest',
      written((bytes) => versioned(Buffer.from(bytes.toString('hex')).toString('base64'))),
    ],
    [
      'it expects the signature in base64url: decode it as standard base64 with padding',
      written((bytes) => versioned(bytes.toString('base64url'))),
    ],
    ['it expects the signature without "v1,": remove the prefix', written((bytes) => bytes.toString('base64'))],
    ['it expects "sha256=" and hex, as GitHub sends', written((bytes) => `sha256=${bytes.toString('hex')}`)],
    ['it reads webhook-timestamp as milliseconds: the header is in seconds', { timestamp: String(Date.now()) }],
    [
      'it reads header names in one case only (Webhook-Id): compare names without regard to case',
      { rename: (name) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) },
    ],
    [
      'it reads the headers svix-…: the headers of this service are webhook-…',
      { rename: (name) => name.replace(/^webhook-/, 'svix-') },
    ],
  ]
}

function asPythonWrites(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/,\n\s*/g, ', ')
    .replaceAll(/\n\s*/g, '')
}

function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pairs = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(pairs.map(([key, each]) => [key, withSortedKeys(each)]))
}
