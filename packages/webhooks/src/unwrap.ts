import { NotewireError, refuseUnknownOptions, ShapeError, type WebhookEvent } from '@notewire/protocol'
import { eventIn } from './delivering/event-in.ts'
import { findMismatchCause } from './diagnosis/diagnosis.ts'
import { incompleteBody } from './diagnosis/incomplete-body.ts'
import { refuseNotRaw } from './diagnosis/not-raw.ts'
import { causeOf, headerCause, type RefusalCause } from './diagnosis/refusal-cause.ts'
import { refuseOtherThanSecret } from './secrets/other-than-secret.ts'
import { type AttemptHeaders, refuseNoHeaders } from './verifier/signature-headers.ts'
import type { SecretList } from './verifier/signing-secret.ts'
import type { VerificationFailure } from './verifier/verification.ts'
import { type TimestampOptions, verificationSteps } from './verifier/verifier.ts'

/** The options of {@link unwrap}. */
export interface UnwrapOptions extends TimestampOptions {}

/**
 * Verifies a delivery (contract §5) and returns its event (contract §6), or throws. `event_type` narrows the event.
 *
 * It does not deduplicate or order events, and sends no answer: use `createReceiver` for that.
 *
 * @param body  the unchanged bytes of the request, or their text; never a parsed and re-serialised object
 * @param headers  all headers of the request
 * @param secret  the endpoint's signing secret, or several during a rotation; gaps in a list are ignored
 * @throws WebhookVerificationError if the delivery cannot be verified: answer 401
 * @throws ShapeError if the delivery is verified, but its body is not an event
 * @throws BodyNotRawError if the body is a parsed body
 * @throws SecretError if the secret is missing or malformed
 * @throws OptionError if an option is invalid, or `headers` is not an object
 * @example
 * ```ts
 * import { unwrap, WebhookVerificationError } from '@notewire/webhooks'
 *
 * export async function POST(request: Request): Promise<Response> {
 *   try {
 *     const event = await unwrap(await request.text(), request.headers, process.env['NOTES_SIGNING_SECRET'])
 *     if (event.event_type === 'note.deleted') console.log('remove', event.data.note_id)
 *     return new Response(null, { status: 204 })
 *   } catch (error) {
 *     if (error instanceof WebhookVerificationError) return new Response(null, { status: 401 })
 *     throw error
 *   }
 * }
 * ```
 */
export async function unwrap(
  body: Uint8Array | string,
  headers: AttemptHeaders,
  secret: string | SecretList | undefined,
  options: UnwrapOptions = {},
): Promise<WebhookEvent> {
  refuseUnknownOptions('unwrap', options, { toleranceSeconds: true, clock: true })
  // Before the secret, which is not what is wrong if the arguments are swapped.
  refuseNotRaw(body)
  refuseNoHeaders(headers)
  for (const each of [secret].flat()) refuseOtherThanSecret(each)
  const { checkHeadersOf, checkSignature } = verificationSteps({ ...options, secret: secret ?? '' })
  const checked = checkHeadersOf(headers)
  if (checked.status === 'refused') throw new WebhookVerificationError(checked.reason, headerCause(checked, headers))
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const verification = await checkSignature(bytes, checked)
  if (verification.status === 'refused') {
    const cause = (await findMismatchCause(checkSignature, bytes, checked)) ?? incompleteBody(bytes, headers)
    throw new WebhookVerificationError(verification.reason, cause ?? causeOf('secret_or_body_differs'))
  }
  const reading = eventIn(bytes)
  if (reading.status === 'malformed') throw new ShapeError(reading.path, reading.problem)
  return reading.event
}

/** The delivery cannot be verified. Answer 401 without details. */
export class WebhookVerificationError extends NotewireError<'webhook_not_verified'> {
  /** Why the delivery was refused. */
  readonly reason: VerificationFailure

  /** @param cause  what happened, and the next step */
  constructor(reason: VerificationFailure, { what, nextStep }: Pick<RefusalCause, 'what' | 'nextStep'>) {
    super('webhook_not_verified', `the delivery was refused (${reason}): ${what}. ${nextStep}`)
    this.reason = reason
  }
}
