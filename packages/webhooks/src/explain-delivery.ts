import { refuseUnknownOptions, SIGNATURE_TOLERANCE_SECONDS } from '@notewire/protocol'
import { findMismatchCause, mayBeNotification } from './diagnosis/diagnosis.ts'
import { incompleteBody } from './diagnosis/incomplete-body.ts'
import { refuseNotRaw } from './diagnosis/not-raw.ts'
import { causeOf, headerCause, type RefusalCause } from './diagnosis/refusal-cause.ts'
import { type CheckedSecret, checkedSecret, findUndecodedSecret, SECRET_MISSING } from './diagnosis/secret-cause.ts'
import type { UnwrapOptions } from './unwrap.ts'
import { type CheckedHeaders, checkHeaders, refuseTolerance } from './verifier/header-check.ts'
import type { AttemptHeaders } from './verifier/signature-headers.ts'
import { isGap, type SecretList } from './verifier/signing-secret.ts'
import type { Refusal, Verified } from './verifier/verification.ts'

/** The result of {@link explainDelivery}: the delivery is verified, or the causes why it is not. */
export type DeliveryExplanation =
  | Verified
  | (Refusal & {
      /** The most important cause first. There is a second one if the timestamp is outside the tolerance as well. */
      readonly causes: readonly [RefusalCause, ...RefusalCause[]]
    })

/**
 * Verifies a delivery (contract §5) and finds the causes if verification fails. Use it for diagnosis; to accept deliveries, use
 * `unwrap` or `createVerifier`.
 *
 * It finds the causes that a receiver logs, and causes that concern the secret. It reverts the usual changes of a body and the usual
 * misreadings of a secret, one at a time: if the signature then matches, that cause is proved. It only verifies a body of more than
 * 16,384 bytes, 32 objects and arrays, or 256 commas. A malformed secret is a cause, not an error.
 *
 * @param body  the unchanged bytes of the request, or their text
 * @param headers  all headers of the request
 * @param secret  the endpoint's signing secret, or several; gaps in a list are ignored
 * @throws BodyNotRawError if the body is a parsed body
 * @throws OptionError if an option is invalid, or `headers` is not an object
 */
export async function explainDelivery(
  body: Uint8Array | string,
  headers: AttemptHeaders,
  secret: string | SecretList,
  options: UnwrapOptions = {},
): Promise<DeliveryExplanation> {
  refuseUnknownOptions('explainDelivery', options, { toleranceSeconds: true, clock: true })
  const { toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS, clock = { now: () => Date.now() } } = options
  refuseTolerance(toleranceSeconds)
  refuseNotRaw(body)
  // An infinite tolerance, because the signature of an old delivery is checked as well.
  const checked = checkHeaders(headers, { toleranceSeconds: Number.POSITIVE_INFINITY, clock })
  if (checked.status === 'refused') return { ...checked, causes: [headerCause(checked, headers)] }
  const time = checkHeaders(headers, { toleranceSeconds, clock })
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const secrets = [secret].flat()
  const checks = secrets.map((each) => (isGap(each) ? {} : checkedSecret(each)))
  for (const [secretIndex, { check }] of checks.entries()) {
    const verification = await check?.(bytes, checked)
    if (verification?.status !== 'verified') continue
    return time.status === 'checked'
      ? { ...verification, secretIndex }
      : { ...time, causes: [headerCause(time, headers)] }
  }
  const cause =
    (await provedCause(bytes, checked, secrets, checks)) ??
    (secrets.every(isGap) ? SECRET_MISSING : checks.find(({ cause }) => cause !== undefined)?.cause) ??
    incompleteBody(bytes, headers) ??
    causeOf('secret_or_body_differs')
  return time.status === 'checked'
    ? { status: 'refused', reason: 'no-matching-signature', detail: cause.what, causes: [cause] }
    : { ...time, causes: [cause, headerCause(time, headers)] }
}

async function provedCause(
  body: Uint8Array,
  headers: CheckedHeaders,
  secrets: SecretList,
  checks: readonly CheckedSecret[],
): Promise<RefusalCause | undefined> {
  for (const [index, { check }] of checks.entries()) {
    if (check === undefined) continue
    const proved = await findMismatchCause(check, body, headers)
    if (proved !== undefined) return proved
    const undecoded = mayBeNotification(body) && (await findUndecodedSecret(secrets[index] ?? '', body, headers))
    if (undecoded) return undecoded
  }
  return undefined
}
