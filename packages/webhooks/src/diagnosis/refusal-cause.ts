import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { type AttemptHeaders, readFirst } from '../verifier/signature-headers.ts'
import type { Refusal } from '../verifier/verification.ts'

/**
 * Why a delivery does not verify: more precise than the `reason` of its refusal. The names are stable.
 *
 * - `header_missing`: one of the three headers is absent, or has another name (`svix-id`)
 * - `header_malformed`: a header occurs twice, perhaps with its values joined, or is not of the form of the contract
 * - `timestamp_in_milliseconds`, `timestamp_too_old`, `timestamp_too_new`: the timestamp is outside the tolerance
 * - `signature_version`: `webhook-signature` has no complete `v1` entry
 * - `body_newline`: a line break at the end was added or removed
 * - `body_line_endings`: LF became CR LF, or the reverse
 * - `body_encoding`: a byte order mark was added, or the body was decoded as Latin-1 or ASCII, or in parts that split a character
 * - `body_encoded`: the body is still in base64, or inside a JSON string
 * - `body_reserialised`: the body was parsed and serialised again
 * - `body_incomplete`: the body is empty, or its end is missing
 * - `secret_malformed`: the secret has quotes, white space or a name around it, or lacks its prefix
 * - `secret_not_decoded`: the sender signed with the text of the secret, not with its key bytes
 * - `secret_or_body_differs`: the secret is another one, or the content was changed in a way that leaves no trace
 */
export type RefusalCauseCode =
  | 'header_missing'
  | 'header_malformed'
  | 'timestamp_in_milliseconds'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_version'
  | BodyCauseCode
  | 'body_incomplete'
  | 'secret_malformed'
  | 'secret_not_decoded'
  | 'secret_or_body_differs'

/** A change of the body after which no signature matches. */
export type BodyCauseCode =
  | 'body_newline'
  | 'body_line_endings'
  | 'body_encoding'
  | 'body_encoded'
  | 'body_reserialised'

/** One cause why a delivery does not verify. Its texts never contain a secret, a signature or a part of the body. */
export interface RefusalCause {
  readonly code: RefusalCauseCode
  /** What happened, as a clause: "the body was re-serialised in transit". */
  readonly what: string
  /** What to do about it, in one or two sentences. */
  readonly nextStep: string
}

const FIND_PROXY = 'Find the proxy or parser that rewrites the body, and pass the bytes on unchanged.'

/** The causes of a mismatch that a receiver can find, with its secrets already decoded: what happened, and the next step. */
const MISMATCHES = {
  signature_version: [
    'the header webhook-signature has no complete v1 signature',
    'Pass the header unchanged: entries of "v1," and 44 characters of base64, separated by spaces.',
  ],
  body_newline: ['the body gained or lost a line break at its end in transit', FIND_PROXY],
  body_line_endings: ['the line endings of the body were converted in transit', FIND_PROXY],
  body_encoding: [
    'the encoding or the byte order mark of the body changed in transit, or it was decoded wrongly',
    'Decode no part of the body on its own, and never as ASCII or Latin-1: pass the bytes, or the text of all of them in UTF-8.',
  ],
  header_malformed: [
    'the header webhook-id occurs more than once: several values were joined',
    'Find the program that adds the header a second time, and pass the headers of the request unchanged.',
  ],
  body_encoded: [
    'the body is still in base64, or in a JSON string',
    'Decode it first. AWS Lambda says with "isBase64Encoded" that a body is in base64.',
  ],
  body_reserialised: ['the body was re-serialised in transit: the same JSON was signed', FIND_PROXY],
  secret_or_body_differs: [
    'no v1 signature matches this body with any known secret',
    'Check that the secret belongs to this endpoint, and that you pass the body unchanged, before any parser.',
  ],
} as const satisfies Partial<Record<RefusalCauseCode, readonly [what: string, nextStep: string]>>

export function causeOf(code: keyof typeof MISMATCHES): RefusalCause {
  const [what, nextStep] = MISMATCHES[code]
  return { code, what, nextStep }
}

/** The cause of a refusal that was decided by the headers alone. */
export function headerCause({ reason, detail }: Refusal, headers: AttemptHeaders): RefusalCause {
  switch (reason) {
    case 'missing-header':
      return missingHeader(detail, headers)
    case 'malformed-header':
      return { code: 'header_malformed', what: detail, nextStep: 'Pass the headers of the request unchanged.' }
    case 'timestamp-too-old':
      return {
        code: 'timestamp_too_old',
        what: detail,
        nextStep:
          "Synchronise this machine's clock (NTP); if it is correct, look for a proxy that delays or replays deliveries.",
      }
    case 'timestamp-too-new':
      if (isInMilliseconds(headers)) {
        return {
          code: 'timestamp_in_milliseconds',
          what: 'the timestamp is in milliseconds',
          nextStep: 'The sender must send and sign Unix time in seconds.',
        }
      }
      return { code: 'timestamp_too_new', what: detail, nextStep: "Synchronise this machine's clock (NTP)." }
    case 'no-matching-signature':
      return causeOf('secret_or_body_differs')
  }
}

function missingHeader(detail: string, headers: AttemptHeaders): RefusalCause {
  const other = Object.values(SIGNATURE_HEADERS)
    .flatMap(otherNamesOf)
    .find((name) => readFirst(headers, name) !== undefined)
  return {
    code: 'header_missing',
    what: other === undefined ? detail : `${detail}, but ${other} is there`,
    nextStep:
      other === undefined
        ? 'Pass all headers of the request. If the request did not have this header, the service did not send it.'
        : 'The service sends webhook-id, webhook-timestamp and webhook-signature: pass the headers under these names.',
  }
}

function otherNamesOf(name: string): readonly string[] {
  return [
    name.replace('webhook-', 'svix-'),
    `x-${name}`,
    name.replaceAll('-', '_'),
    `http_${name.replaceAll('-', '_')}`,
  ]
}

/** A timestamp of 12 digits is in the year 5138 if it is in seconds. */
function isInMilliseconds(headers: AttemptHeaders): boolean {
  return /^\d{12,14}$/.test(readFirst(headers, SIGNATURE_HEADERS.timestamp) ?? '')
}
