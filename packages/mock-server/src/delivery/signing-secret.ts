import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { decodeBase64Url, encodeBase64Url } from 'hono/utils/encode'
import { Webhook } from 'standardwebhooks'

/** What is signed: a message at an instant, in milliseconds since the Unix epoch (contract §5). */
export interface SignedMessage {
  readonly webhook_id: string
  readonly body: string
  readonly at: number
}

/** One secret that deliveries are signed with. */
export interface SigningSecret {
  /** `whsec_` and base64url text, as the receiver is told it. */
  readonly text: string
  /** `v1,<base64>`, by the library of the Standard Webhooks specification. */
  sign(message: SignedMessage): string
}

/** The secret of these key bytes. */
export function signingSecretOf(key: Uint8Array<ArrayBuffer>): SigningSecret {
  // From raw bytes: the library reads base64, and the secret is base64url.
  const webhook = new Webhook(key, { format: 'raw' })
  return {
    text: SIGNING_SECRET_PREFIX + encodeBase64Url(key.buffer).replace(/=+$/, ''),
    sign: ({ webhook_id, body, at }) => webhook.sign(webhook_id, new Date(at), body),
  }
}

/** The key bytes of a secret as the receiver is told it (contract §5). */
export function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(secret.slice(SIGNING_SECRET_PREFIX.length))
}
