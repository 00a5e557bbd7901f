import { refuseUnknownOptions, SIGNATURE_TOLERANCE_SECONDS } from '@notewire/protocol'
import { findMismatchCause, mayBeNotification } from './receiver/diagnosis.ts'
import { causeOf, headerCause, type RefusalCause } from './receiver/refusal-cause.ts'
import { checkedSecret, findUndecodedSecret } from './receiver/secret-cause.ts'
import type { UnwrapOptions } from './unwrap.ts'
import { type CheckedHeaders, checkHeaders } from './verifier/header-check.ts'
import { type AttemptHeaders, readFirst } from './verifier/signature-headers.ts'
import { refuseTolerance } from './verifier/timestamp.ts'
import type { Refusal, Verified } from './verifier/verification.ts'
import { refuseParsedBody } from './verifier/verifier.ts'

/** What {@link explainDelivery} found: that the delivery verifies, or the causes why it does not. */
export type DeliveryExplanation =
  | Verified
  | (Refusal & {
      /** The most important cause first. There is a second one when the timestamp is outside the tolerance as well. */
      readonly causes: readonly [RefusalCause, ...RefusalCause[]]
    })

/**
 * Verifies a delivery (contract §5) and, if it does not verify, finds the causes. It is for diagnosis: to accept deliveries, use
 * `unwrap` or `createVerifier`.
 *
 * It finds the causes that a receiver logs, and those that concern the secret. It undoes the usual changes of a body and the usual
 * misreadings of a secret, one at a time: if the signature then matches, that cause is proved. A body of more than 16,384 bytes,
 * 32 objects and arrays, or 256 commas is only verified as it is. A malformed secret is a cause, and not an error.
 *
 * @param body  the bytes of the request as they came, or their text
 * @param headers  all headers of the request
 * @param secret  the endpoint's signing secret, or several
 * @throws BodyNotRawError when a parsed body was passed
 * @throws OptionError when an option cannot work, or `headers` is no object
 */
export async function explainDelivery(
  body: Uint8Array | string,
  headers: AttemptHeaders,
  secret: string | readonly string[],
  options: UnwrapOptions = {},
): Promise<DeliveryExplanation> {
  refuseUnknownOptions('explainDelivery', options, ['toleranceSeconds', 'clock'])
  const { toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS, clock = { now: () => Date.now() } } = options
  refuseTolerance(toleranceSeconds)
  refuseParsedBody(body)
  // The signature of a delivery that is too old is examined as well.
  const checked = checkHeaders(headers, { toleranceSeconds: Number.POSITIVE_INFINITY, clock })
  if (checked.status === 'refused') return { ...checked, causes: [headerCause(checked, headers)] }
  const time = checkHeaders(headers, { toleranceSeconds, clock })
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const secrets = [secret].flat()
  for (const [secretIndex, each] of secrets.entries()) {
    const verification = await checkedSecret(each).check?.(bytes, checked)
    if (verification?.status !== 'verified') continue
    return time.status === 'checked'
      ? { ...verification, secretIndex }
      : { ...time, causes: [headerCause(time, headers)] }
  }
  const cause =
    (await mismatchCause(bytes, checked, secrets)) ??
    incompleteBody(bytes, headers) ??
    causeOf('secret_or_body_differs')
  return time.status === 'checked'
    ? { status: 'refused', reason: 'no-matching-signature', detail: cause.what, causes: [cause] }
    : { ...time, causes: [cause, headerCause(time, headers)] }
}

/** The first cause that is proved, or a malformed secret. */
async function mismatchCause(
  body: Uint8Array,
  headers: CheckedHeaders,
  secrets: readonly string[],
): Promise<RefusalCause | undefined> {
  let malformed: RefusalCause | undefined
  for (const secret of secrets) {
    const { check, cause } = checkedSecret(secret)
    malformed ??= cause
    if (check === undefined) continue
    const proved =
      (await findMismatchCause(check, body, headers)) ??
      (mayBeNotification(body) ? await findUndecodedSecret(secret, body, headers) : undefined)
    if (proved !== undefined) return proved
  }
  return malformed
}

/** A body that is empty, shorter than its headers say, or not the whole of a JSON text. */
function incompleteBody(body: Uint8Array, headers: AttemptHeaders): RefusalCause | undefined {
  const what = howIncomplete(body, Number(readFirst(headers, 'content-length')))
  if (what === undefined) return undefined
  const nextStep = 'Pass the whole body. Another program may have read it before, or cut it off.'
  return { code: 'body_incomplete', what, nextStep }
}

function howIncomplete(body: Uint8Array, declared: number): string | undefined {
  if (body.length === 0) return 'the body is empty'
  if (declared > body.length) return `the body has ${body.length} bytes, but content-length says ${declared}`
  if (!mayBeNotification(body)) return undefined
  try {
    JSON.parse(new TextDecoder().decode(body))
    return undefined
  } catch {
    return 'the body is not complete JSON, as every notification is'
  }
}
