import { createHmac, randomBytes } from 'node:crypto'
import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { createVerifier } from '@notewire/webhooks/verify'

/** Signs any ID, timestamp and bytes, also invalid ones (contract §5). */
export interface Signer {
  /** Returns the signature in standard base64, without its version. */
  sign(webhookId: string, timestamp: string, body: Uint8Array): string
}

export interface Secret {
  readonly text: string
  readonly encodedKey: string
  readonly signer: Signer
}

/** @throws `SecretError` if the secret is malformed */
export function secretOf(text: string): Secret {
  // The verifier explains what is wrong with a malformed secret; Buffer would decode it anyway.
  createVerifier({ secret: text })
  const encodedKey = text.slice(SIGNING_SECRET_PREFIX.length)
  return { text, encodedKey, signer: signerWithKey(Buffer.from(encodedKey, 'base64url')) }
}

/** A signer with a random key, which no receiver accepts. */
export function strangerSigner(): Signer {
  return signerWithKey(randomBytes(32))
}

/** A signer with this key: also with the keys that receivers use by mistake. */
export function signerWithKey(key: Uint8Array): Signer {
  return {
    sign: (webhookId, timestamp, body) =>
      createHmac('sha256', key).update(`${webhookId}.${timestamp}.`).update(body).digest('base64'),
  }
}
