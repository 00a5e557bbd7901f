import { SIGNATURE_HEADERS, systemClock } from '@notewire/protocol'
import { keyOf, signingSecretOf } from '../delivery/signing-secret.ts'

/** What an attempt made by hand carries. */
export interface AttemptByHand {
  /** `whsec_` and base64url text. */
  readonly secret: string
  /** What is sent: an event, or any text as it stands, to see what a receiver makes of it. */
  readonly event: object | string
  /** @default 'https://receiver.test/webhooks/notes' */
  readonly url?: string | undefined
  /** @default a new one */
  readonly webhookId?: string | undefined
  /** The time that it is stamped with, in milliseconds since the Unix epoch. @default the machine's */
  readonly at?: number | undefined
}

/**
 * A delivery attempt signed as the service signs (contract §5), to hand to a receiver without any service.
 *
 * @example
 * ```ts
 * import { anEvent, signedAttempt } from '@notewire/mock-server'
 *
 * declare const receive: (request: Request) => Promise<Response>
 * const secret = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbmQtbm8tb3RoZXI'
 * const answer = await receive(signedAttempt({ secret, event: anEvent('note.updated', { revision: 7 }) }))
 * console.log(answer.status)
 * ```
 */
export function signedAttempt({
  secret,
  event,
  url = 'https://receiver.test/webhooks/notes',
  webhookId = `msg_${crypto.randomUUID()}`,
  at = systemClock.now(),
}: AttemptByHand): Request {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const signature = signingSecretOf(keyOf(secret)).sign({ webhook_id: webhookId, body, at })
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: webhookId,
      [SIGNATURE_HEADERS.timestamp]: String(Math.floor(at / 1000)),
      [SIGNATURE_HEADERS.signature]: signature,
    },
    body,
  })
}
