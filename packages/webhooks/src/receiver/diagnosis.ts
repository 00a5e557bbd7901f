import type { Clock } from '@notewire/protocol'
import type { CheckedHeaders } from '../verifier/header-check.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import type { Refusal } from '../verifier/verification.ts'
import { RateLimit } from './rate-limit.ts'
import { causeOf, type RefusalCause } from './refusal-cause.ts'
import { signedBodies } from './signed-body.ts'

// Anyone can send a delivery that is refused, and must not be able to use much processor time with it: a body beyond these
// bounds is no notification, and ten diagnoses a second show a proxy that rewrites bodies as well as all of them would.
const LARGEST_BODY_BYTES = 16_384
const MOST_OBJECTS_AND_ARRAYS = 32
const MOST_COMMAS = 256
const RATE = { most: 10, windowMs: 1_000 }

const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b

const USUAL_CAUSES = 'the secret belongs to another endpoint or was rotated, or the body was changed in transit'

/** Adds the cause to a refusal because no signature matched, for the log and the hook of a receiver. */
export type Diagnose = (
  refusal: Refusal,
  check: SignatureCheck,
  body: Uint8Array,
  headers: CheckedHeaders,
) => Promise<Refusal>

/** A diagnosis that looks at the bodies of at most ten refused deliveries a second. */
export function createDiagnosis(clock: Clock): Diagnose {
  const rate = new RateLimit(clock, RATE)
  return async (refusal, check, body, headers) => {
    const isExamined = mayBeNotification(body) && rate.admit() !== undefined
    const cause = isExamined ? await findMismatchCause(check, body, headers) : undefined
    if (cause === undefined) return { ...refusal, detail: `${refusal.detail}: ${USUAL_CAUSES}` }
    return { ...refusal, detail: `${cause.what}. ${cause.nextStep}` }
  }
}

/**
 * Finds out why no signature matched, by undoing the usual changes of a body one at a time. A match is proof.
 *
 * @returns `undefined` when none of them explains it, or when the body is too large or too nested for a notification
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
  return undefined
}

/** Whether a body is small and flat enough for a notification. Characters within texts count as well, which is simpler. */
export function mayBeNotification(body: Uint8Array): boolean {
  if (body.length > LARGEST_BODY_BYTES) return false
  let opened = 0
  let commas = 0
  for (const byte of body) {
    if (byte === COMMA) commas += 1
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) opened += 1
  }
  return opened <= MOST_OBJECTS_AND_ARRAYS && commas <= MOST_COMMAS
}
