import {
  type Clock,
  isBytes,
  NotewireError,
  OptionError,
  refuseOptionsBut,
  SIGNATURE_TOLERANCE_SECONDS,
} from '@notewire/protocol'
import { type CheckedHeaders, checkHeaders, refuseTolerance } from './header-check.ts'
import { createSignatureCheck, type SignatureCheck } from './signature-check.ts'
import type { AttemptHeaders } from './signature-headers.ts'
import { isGap, SecretError, type SecretList } from './signing-secret.ts'
import type { Refusal, Verification } from './verification.ts'

/** What {@link createVerifier} takes. */
export interface VerifierOptions extends TimestampOptions {
  /**
   * The endpoint's signing secret as the service showed it, or several during a rotation: an attempt that is signed with any of them is
   * accepted. Gaps in a list are ignored ({@link SecretList}).
   */
  readonly secret: string | SecretList
}

/** How the timestamp of an attempt is checked. */
export interface TimestampOptions {
  /**
   * How far an attempt's timestamp may be from now, either way, in seconds, inclusive (contract §5).
   *
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined
  /** @default the clock of the machine */
  readonly clock?: Clock | undefined
}

/**
 * Decides whether the service sent this body with these headers.
 *
 * @param body  the raw bytes of the request, or their text; not a parsed object
 */
export type Verifier = (body: Uint8Array | string, headers: AttemptHeaders) => Promise<Verification>

/**
 * Makes a function that verifies the signature and the timestamp of delivery attempts (contract §5; Standard Webhooks,
 * scheme `v1`). It compares in constant time, and runs wherever the runtime has `node:crypto` or WebCrypto.
 *
 * @throws SecretError when a secret is malformed
 * @throws OptionError when another option cannot work
 *
 * The verifier itself throws BodyNotRawError for a parsed body, and OptionError for headers that are no object.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@notewire/webhooks/verify'
 *
 * const verify = createVerifier({ secret: process.env['NOTES_SIGNING_SECRET'] ?? '' })
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const verification = await verify(await request.text(), request.headers)
 *   return new Response(null, { status: verification.status === 'verified' ? 204 : 401 })
 * }
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  refuseOptionsBut('createVerifier', options, { secret: true, toleranceSeconds: true, clock: true })
  const { checkHeadersOf, checkSignature } = verificationSteps(options)
  return async (body, headers) => {
    refuseParsedBody(body)
    const checked = checkHeadersOf(headers)
    return checked.status === 'refused' ? checked : checkSignature(body, checked)
  }
}

/** {@link VerifierOptions} with a clock that only needs `now`. */
type VerificationRules = Omit<VerifierOptions, 'clock'> & { readonly clock?: Pick<Clock, 'now'> | undefined }

/**
 * The two steps of a verification.
 *
 * @throws SecretError when a secret is malformed
 * @throws OptionError when another option cannot work
 */
export function verificationSteps({
  secret,
  toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS,
  clock = machineClock,
}: VerificationRules): {
  readonly checkHeadersOf: (headers: AttemptHeaders) => CheckedHeaders | Refusal
  readonly checkSignature: SignatureCheck
} {
  refuseTolerance(toleranceSeconds)
  if (typeof clock?.now !== 'function')
    throw new OptionError('clock', 'clock has no method "now". Pass an object with now(), or omit clock.')
  const secrets = [secret].flat()
  if (secrets.every(isGap)) throw new SecretError('is missing')
  return {
    checkHeadersOf: (headers) => checkHeaders(headers, { toleranceSeconds, clock }),
    checkSignature: createSignatureCheck(secrets),
  }
}

/** @throws BodyNotRawError */
function refuseParsedBody(body: unknown): asserts body is Uint8Array | string {
  if (typeof body !== 'string' && !isBytes(body)) throw new BodyNotRawError()
}

// Not `systemClock`, whose `sleep` would be in every bundle.
const machineClock: Pick<Clock, 'now'> = { now: () => Date.now() }

/** The verifier got a parsed body. The signature covers the raw bytes, which cannot be restored from it. */
export class BodyNotRawError extends NotewireError<'body_not_raw'> {
  /** @param what  what was passed instead */
  constructor(what = 'neither a string nor bytes') {
    super(
      'body_not_raw',
      `the body is ${what}. Pass the raw body: await request.text(), or a Buffer, or new Uint8Array(arrayBuffer).`,
    )
  }
}
