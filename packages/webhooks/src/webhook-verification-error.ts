import { NotewireError } from '@notewire/protocol'
import type { RefusalCause } from './diagnosis/refusal-cause.ts'
import type { VerificationFailure } from './verifier/verification.ts'

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
