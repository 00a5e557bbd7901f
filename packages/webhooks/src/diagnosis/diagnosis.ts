import type { Clock } from '@notewire/protocol'
import { RateLimit } from '../timing/rate-limit.ts'
import type { CheckedHeaders } from '../verifier/header-check.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import type { Refusal } from '../verifier/verification.ts'
import { type BodyCauseCode, causeOf, type RefusalCause } from './refusal-cause.ts'

// A diagnosis costs processor time, and anyone can send a delivery with a wrong signature. Bodies beyond these bounds are not
// notifications, and ten diagnoses a second are enough to show that a proxy rewrites bodies.
const LARGEST_BODY_BYTES = 16_384
const MAX_OBJECTS_AND_ARRAYS = 32
const MAX_COMMAS = 256
const RATE = { maxCalls: 10, windowMs: 1_000 }

const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b

const USUAL_CAUSES = 'the secret belongs to another endpoint or was rotated, or the body was changed in transit'

/**
 * Makes a function that adds the cause to a refusal because no signature matched, for the log and the hook of a receiver. It examines the bodies
 * of at most ten refused deliveries a second.
 */
export function createDiagnosis(clock: Clock) {
  const rate = new RateLimit(clock, RATE)
  return async (
    refusal: Refusal,
    check: SignatureCheck,
    body: Uint8Array,
    headers: CheckedHeaders,
  ): Promise<Refusal> => {
    const isExamined = mayBeNotification(body) && rate.admit() !== undefined
    const cause = isExamined ? await findMismatchCause(check, body, headers) : undefined
    if (cause === undefined) return { ...refusal, detail: `${refusal.detail}: ${USUAL_CAUSES}` }
    return { ...refusal, detail: `${cause.what}. ${cause.nextStep}` }
  }
}

/**
 * Finds out why no signature matched: undoes the usual changes of a body, one at a time, until the signature matches.
 *
 * @returns `undefined` if none of them explains the mismatch, or if the body is too large or too nested for a notification
 */
export async function findMismatchCause(
  check: SignatureCheck,
  body: Uint8Array,
  headers: CheckedHeaders,
): Promise<RefusalCause | undefined> {
  if (headers.signatures.length === 0) return causeOf('signature_version')
  if (!mayBeNotification(body)) return undefined
  for (const signed of signedBodies(body)) {
    if ((await check(signed.body, headers)).status === 'verified') return causeOf(signed.code)
  }
  if (await isIdRepeated(check, body, headers)) return causeOf('header_malformed')
  // Decoders write U+FFFD for bytes that they cannot decode. Their bytes are lost, so the cause cannot be proved.
  return utf8TextOf(body)?.includes('\ufffd') ? causeOf('body_encoding') : undefined
}

const MOST_IDS = 4

/** Whether the header webhook-id has several values, which Node.js and proxies join, and one of them was signed. */
async function isIdRepeated(check: SignatureCheck, body: Uint8Array, headers: CheckedHeaders): Promise<boolean> {
  const { webhookId, signedPrefix } = headers
  const ids = webhookId.split(/, ?/, MOST_IDS)
  if (ids.length === 1) return false
  for (const id of new Set(ids)) {
    const alone = { ...headers, webhookId: id, signedPrefix: id + signedPrefix.slice(webhookId.length) }
    if ((await check(body, alone)).status === 'verified') return true
  }
  return false
}

/** Whether a body is small and flat enough for a notification. Commas and brackets inside strings count as well. */
export function mayBeNotification(body: Uint8Array): boolean {
  if (body.length > LARGEST_BODY_BYTES) return false
  let opened = 0
  let commas = 0
  for (const byte of body) {
    if (byte === COMMA) commas += 1
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) opened += 1
  }
  return opened <= MAX_OBJECTS_AND_ARRAYS && commas <= MAX_COMMAS
}

/** A body that may have been signed, and the change that turned it into the body that arrived. */
interface SignedBody {
  readonly code: BodyCauseCode
  readonly body: Uint8Array | string
}

/**
 * The bodies that may have been signed: at most 14, each with one usual change undone. The caller checks the size and the nesting of the
 * body.
 */
function signedBodies(arrived: Uint8Array): readonly SignedBody[] {
  const text = utf8TextOf(arrived)
  if (text === undefined) return [{ code: 'body_encoding', body: latin1TextOf(arrived) }]
  const bodies: Readonly<Record<BodyCauseCode, readonly (Uint8Array | string)[]>> = {
    body_newline: text.endsWith('\n') ? [text.replace(/\r?\n$/, '')] : [`${text}\n`, `${text}\r\n`],
    body_line_endings: text.includes('\n') ? [withOtherLineEndings(text)] : [],
    body_encoding: inAnotherEncoding(text),
    body_encoded: decoded(text),
    body_reserialised: serialisedOtherwise(text),
  }
  const codes = Object.keys(bodies) as BodyCauseCode[]
  return codes.flatMap((code) => bodies[code].map((body) => ({ code, body })))
}

function withOtherLineEndings(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')
}

function inAnotherEncoding(text: string): readonly (Uint8Array | string)[] {
  const isMisread = /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text)
  return [
    ...(text.startsWith('\ufeff') ? [text.slice(1)] : []),
    // UTF-8 that was read as Latin-1 and written as UTF-8.
    ...(isMisread ? [latin1BytesOf(text)] : []),
    ...withoutWindows1252(text),
    ...withoutAscii(text),
  ]
}

/** The characters of windows-1252 for the bytes 0x80 to 0x9f. `TextDecoder` decodes 'ascii' and 'latin1' so. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** UTF-8 that was read as windows-1252 and written as UTF-8. */
function withoutWindows1252(text: string): readonly Uint8Array[] {
  if (!/[\u0080-\uffff]/.test(text)) return []
  const bytes = Array.from(text, (character) => {
    const index = WINDOWS_1252.indexOf(character)
    return index === -1 ? (character.codePointAt(0) ?? 0) : 0x80 + index
  })
  return bytes.some((byte) => byte > 0xff) ? [] : [Uint8Array.from(bytes)]
}

/** UTF-8 that Node.js decoded as 'ascii', which clears the highest bit of each byte: the usual letters and punctuation marks of Europe. */
function withoutAscii(text: string): readonly Uint8Array[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of UTF-8 become control characters.
  const restored = text.replace(/C[\0-?]|b[\0-\x1f][\0-?]/g, (found) =>
    Array.from(found, (character) => String.fromCharCode(character.charCodeAt(0) | 0x80)).join(''),
  )
  return restored === text || /[^\0-\xff]/.test(text) ? [] : [latin1BytesOf(restored)]
}

function decoded(text: string): readonly (Uint8Array | string)[] {
  const value = parsed(text)
  if (typeof value === 'string') return [value]
  if (value !== undefined || !/^[A-Za-z0-9+/]+={0,2}\s*$/.test(text)) return []
  try {
    return [latin1BytesOf(atob(text.trim()))]
  } catch {
    return []
  }
}

/** As `JSON.stringify` and Python's `json.dumps` write JSON, with and without escapes for what is not ASCII. */
function serialisedOtherwise(text: string): readonly string[] {
  const value = parsed(text)
  if (value === undefined) return []
  const compact = JSON.stringify(value)
  const indented = JSON.stringify(value, null, 2)
  // Line breaks inside JSON strings are escaped, so these are between values.
  const spaced = indented.replace(/,\n */g, ', ').replace(/\n */g, '')
  const forms = new Set([compact, spaced, indented, inAscii(compact), inAscii(spaced)])
  forms.delete(text)
  return [...forms]
}

function inAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function utf8TextOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function latin1TextOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function latin1BytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
