import {
  type Clock,
  NotewireError,
  OptionError,
  refuseUnknownOptions,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
} from '@notewire/protocol'
import { isBytes } from './bytes.ts'
import { type HmacSha256, hmacSha256 } from './hmac.ts'
import { type AttemptHeaders, readSignatureHeaders } from './signature-headers.ts'
import { readSignatures, signatureMatches } from './signatures.ts'
import { keyBytesOf } from './signing-secret.ts'
import { judgeTimestamp, refuseTolerance } from './timestamp.ts'
import { refuse, type Verification } from './verification.ts'

/** What {@link createVerifier} takes. */
export interface VerifierOptions {
  /**
   * The endpoint's signing secret as the service showed it, or several while a rotation lasts: an attempt signed with
   * any of them is accepted.
   */
  readonly secret: string | readonly string[]
  /**
   * How far an attempt's timestamp may be from now, either way, in whole seconds, inclusive (contract §5).
   *
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

/**
 * Decides whether the service sent this body with these headers.
 *
 * @param body  the bytes of the request as they came, or their text; never a parsed and re-serialised object
 */
export type Verifier = (body: Uint8Array | string, headers: AttemptHeaders) => Promise<Verification>

/**
 * Makes a function that verifies the signature and the timestamp of delivery attempts (contract §5; Standard Webhooks,
 * scheme `v1`). It compares in constant time and runs wherever there is Node's crypto or WebCrypto.
 *
 * @throws SecretError when a secret is malformed
 * @throws OptionError when another option cannot work; the verifier itself throws BodyNotRawError for a parsed body
 * @example
 * ```ts
 * import { createVerifier } from '@notewire/webhooks/verify'
 *
 * const verify = createVerifier({ secret: process.env['NOTES_SIGNING_SECRET'] ?? '' })
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const body = await request.text()
 *   const verification = await verify(body, request.headers)
 *   if (verification.status === 'refused') return new Response(null, { status: 401 })
 *   console.log(JSON.parse(body).event_type)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  refuseUnknownOptions('createVerifier', options, ['secret', 'toleranceSeconds', 'clock'])
  const { secret, toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS, clock = systemClock } = options
  refuseTolerance(toleranceSeconds)
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [''])
  if (secrets.length === 0) {
    throw new OptionError('secret', 'the list of secrets is empty. Give the one that creating the endpoint returned.')
  }
  const signers = secrets.map((each) => hmacSha256(keyBytesOf(each)))

  return async (body, headers) => {
    if (typeof body !== 'string' && !isBytes(body)) throw new BodyNotRawError()
    const signed = readSignatureHeaders(headers)
    if (signed.status === 'refused') return signed
    const entries = readSignatures(signed.signature)
    if (entries.status === 'refused') return entries
    const time = judgeTimestamp(signed.timestamp, clock.now(), toleranceSeconds)
    if (time.status === 'refused') return time

    const signedPrefix = `${signed.webhookId}.${signed.timestamp}.`
    const secretIndex = await matchingSecret(signers, signedPrefix, body, entries.signatures)
    if (secretIndex === -1) {
      return refuse('no-matching-signature', 'no v1 signature is that of this body under a known secret')
    }
    return { status: 'verified', webhookId: signed.webhookId, timestamp: time.seconds, secretIndex }
  }
}

/** Holds every secret against every entry, so that the time taken does not tell which one matched. */
async function matchingSecret(
  signers: readonly HmacSha256[],
  signedPrefix: string,
  body: Uint8Array | string,
  signatures: readonly string[],
): Promise<number> {
  const matches: boolean[] = []
  for (const sign of signers) {
    const expected = sign(signedPrefix, body)
    // Awaiting what is there already would cost every delivery a turn of the queue.
    matches.push(signatureMatches(typeof expected === 'string' ? expected : await expected, signatures))
  }
  return matches.indexOf(true)
}

/** The verifier was given a parsed body. What was signed are the bytes, and they cannot be had back from it. */
export class BodyNotRawError extends NotewireError<'body_not_raw'> {
  constructor() {
    super(
      'body_not_raw',
      'the body is neither text nor bytes. Pass what arrived, before any JSON parser: await request.text(), or a Buffer.',
    )
  }
}
