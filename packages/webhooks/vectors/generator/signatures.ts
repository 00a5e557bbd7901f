import { createHmac } from 'node:crypto'
import {
  anAttempt,
  BODY,
  KEY,
  NOW,
  OTHER_KEY,
  refused,
  signatureOf,
  signedBy,
  stricter,
  type Vector,
  type VectorFile,
  verified,
  WEBHOOK_ID,
  withHeaders,
} from './vector.ts'

const SIGNATURE = signatureOf()
const DECODED = 'a verifier may decode the signature leniently and compare the bytes'
const DECOY = `v1,${signatureOf({ key: OTHER_KEY })}`
const CONTENT = `${WEBHOOK_ID}.${NOW}.${BODY}`
/** An id whose signature holds both of the characters that base64url spells otherwise. */
const [SPECIAL_ID, SPECIAL_SIGNATURE] = signatureContaining('+', '/')

export const signatures: VectorFile = {
  description: 'The header webhook-signature: versions, several entries, and spellings of base64.',
  cases: [
    ...severalEntries(),
    ...['v1a', 'v2', 'v0', 'v', 'v11', 'V1', '1', ''].map((version) =>
      refused(`the version "${version}"`, 'no-matching-signature', signedBy([`${version},${SIGNATURE}`])),
    ),
    refused('no version', 'no-matching-signature', signedBy([SIGNATURE])),
    refused('no comma after the version', 'no-matching-signature', signedBy([`v1${SIGNATURE}`])),
    refused('"=" instead of the comma', 'no-matching-signature', signedBy([`v1=${SIGNATURE}`])),
    refused('a version and nothing more', 'no-matching-signature', signedBy(['v1,'])),
    verified('"+" and "/" in the signature', anAttempt({ webhookId: SPECIAL_ID })),
    ...misspelt(),
    ...wronglySigned(),
  ],
}

function severalEntries(): readonly Vector[] {
  const entry = `v1,${SIGNATURE}`
  return [
    verified('the first of two entries matches', signedBy([entry, DECOY])),
    verified('the last of two entries matches', signedBy([DECOY, entry])),
    verified('the middle of three entries matches', signedBy([DECOY, entry, DECOY])),
    verified('the same entry twice', signedBy([entry, entry])),
    verified('entries of other versions before it', signedBy(['v2,abcd', `v1a,${SIGNATURE}`, entry])),
    verified('entries that are none before it', signedBy(['nonsense', 'v1,', 'v1,AAAA', 'v1', entry])),
    verified('two spaces between entries', signedBy([DECOY, '', entry])),
    verified('32 entries, the last of which matches', signedBy([...repeated(31), entry])),
    ...['last', 'first'].map((which) =>
      stricter(
        'the contract has no limit for the number of entries',
        refused(
          `33 entries, the ${which} of which matches`,
          'malformed-header',
          signedBy(which === 'last' ? [...repeated(32), entry] : [entry, ...repeated(32)]),
        ),
      ),
    ),
    refused('no entry of several matches', 'no-matching-signature', signedBy([DECOY, 'v2,abcd', DECOY])),
    refused('a tab between entries', 'no-matching-signature', signedBy([`${DECOY}\t${entry}`])),
    refused('a comma between entries', 'no-matching-signature', signedBy([`${DECOY},${entry}`])),
    refused('the halves of a signature in two entries', 'no-matching-signature', halves()),
  ]
}

function misspelt(): readonly Vector[] {
  const special = { webhookId: SPECIAL_ID }
  const base64url = SPECIAL_SIGNATURE.replaceAll('+', '-').replaceAll('/', '_')
  /** A lenient decoder reads the right bytes from these. */
  const decodable: Readonly<Record<string, string>> = {
    'without its padding': SIGNATURE.replace('=', ''),
    'with padding too much': `${SIGNATURE}=`,
    'with spare bits set, which decodes to the same bytes': spareBitsSet(SIGNATURE),
    'in quotation marks': `"${SIGNATURE}"`,
    'with something after it': `${SIGNATURE}AAAA`,
    'with a second comma after it': `${SIGNATURE},`,
  }
  const spellings: Readonly<Record<string, string>> = {
    'in hexadecimal': Buffer.from(SIGNATURE, 'base64').toString('hex'),
    'in lower case': SIGNATURE.toLowerCase(),
    'with its last byte cut off': Buffer.from(SIGNATURE, 'base64').subarray(0, 31).toString('base64'),
    'with its first byte alone': Buffer.from(SIGNATURE, 'base64').subarray(0, 1).toString('base64'),
    'with one bit flipped': flipped(SIGNATURE),
  }
  return [
    stricter(
      DECODED,
      refused('a signature in base64url', 'no-matching-signature', signedBy([`v1,${base64url}`], special)),
    ),
    ...Object.entries(decodable).map(([spelling, text]) =>
      stricter(DECODED, refused(`a signature ${spelling}`, 'no-matching-signature', signedBy([`v1,${text}`]))),
    ),
    ...Object.entries(spellings).map(([spelling, text]) =>
      refused(`a signature ${spelling}`, 'no-matching-signature', signedBy([`v1,${text}`])),
    ),
  ]
}

function wronglySigned(): readonly Vector[] {
  const signed: Readonly<Record<string, string>> = {
    'the body alone': hmac('sha256', BODY),
    'the timestamp and the body alone': hmac('sha256', `${NOW}.${BODY}`),
    'the id and the body alone': hmac('sha256', `${WEBHOOK_ID}.${BODY}`),
    'nothing between the parts': hmac('sha256', `${WEBHOOK_ID}${NOW}${BODY}`),
    'the parts in another order': hmac('sha256', `${NOW}.${WEBHOOK_ID}.${BODY}`),
    'SHA-1': hmac('sha1', CONTENT),
    'SHA-512': hmac('sha512', CONTENT),
  }
  return Object.entries(signed).map(([how, signature]) =>
    refused(
      `signed with ${how}`,
      'no-matching-signature',
      withHeaders(anAttempt(), { 'webhook-signature': `v1,${signature}` }),
    ),
  )
}

function hmac(hash: string, content: string): string {
  return createHmac(hash, KEY).update(content).digest('base64')
}

function repeated(times: number): readonly string[] {
  return Array.from({ length: times }, () => 'v1,x')
}

function halves(): ReturnType<typeof signedBy> {
  return signedBy([`v1,${SIGNATURE.slice(0, 22)}`, `v1,${SIGNATURE.slice(22)}`])
}

/** The last of the 43 characters carries four bits of the signature, and two that mean nothing. */
function spareBitsSet(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return `${signature.slice(0, 42)}${alphabet[alphabet.indexOf(signature.charAt(42)) + 1]}=`
}

function flipped(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  bytes.writeUInt8(bytes.readUInt8(31) ^ 1, 31)
  return bytes.toString('base64')
}

function signatureContaining(...characters: readonly string[]): readonly [webhookId: string, signature: string] {
  for (let attempt = 0; ; attempt += 1) {
    const webhookId = `${WEBHOOK_ID}_${attempt}`
    const signature = signatureOf({ webhookId })
    if (characters.every((character) => signature.includes(character))) return [webhookId, signature]
  }
}
