import { SIGNATURE_HEADERS, SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { encodeBase64Url } from 'hono/utils/encode'
import { Webhook } from 'standardwebhooks'

/** What the deliveries to one endpoint are signed with. */
export interface SigningSecret {
  /** `whsec_` and base64url text, as the receiver is told it. */
  readonly text: string
  /** The headers that sign a body at an instant, by the library of the Standard Webhooks specification (contract §5). */
  headersFor(message: { readonly webhook_id: string; readonly body: string; readonly at: number }): SignatureHeaders
}

/** The three headers of a signed delivery. */
type SignatureHeaders = Readonly<Record<(typeof SIGNATURE_HEADERS)[keyof typeof SIGNATURE_HEADERS], string>>

/** The secret of these key bytes. */
export function signingSecretOf(key: Uint8Array<ArrayBuffer>): SigningSecret {
  // From raw bytes: the library reads base64, and the secret is base64url.
  const webhook = new Webhook(key, { format: 'raw' })
  return {
    text: SIGNING_SECRET_PREFIX + encodeBase64Url(key.buffer).replace(/=+$/, ''),
    headersFor: ({ webhook_id, body, at }) => ({
      [SIGNATURE_HEADERS.id]: webhook_id,
      [SIGNATURE_HEADERS.timestamp]: String(Math.floor(at / 1000)),
      [SIGNATURE_HEADERS.signature]: webhook.sign(webhook_id, new Date(at), body),
    }),
  }
}
