import { createHmac, randomBytes } from 'node:crypto'
import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { createVerifier } from '@notewire/webhooks/verify'

/** Signs what the service would sign, and what it would not: any id, any timestamp, any bytes (contract §5). */
export interface Signer {
  /** The signature in standard base64, without its version. */
  sign(webhookId: string, timestamp: string, body: Uint8Array): string
}

/**
 * A signer that holds an endpoint's signing secret.
 *
 * @throws SecretError when the secret is malformed
 */
export function signerOf(secret: string): Signer {
  // Says what is wrong with a malformed secret, where decoding would shrug.
  createVerifier({ secret })
  return signerWithKey(Buffer.from(textAfterPrefix(secret), 'base64url'))
}

/** A signer that holds a secret nobody else has. */
export function strangerSigner(): Signer {
  return signerWithKey(randomBytes(32))
}

/** A signer that holds these bytes: for the keys that receivers use by mistake. */
export function signerWithKey(key: Uint8Array): Signer {
  return {
    sign: (webhookId, timestamp, body) =>
      createHmac('sha256', key).update(`${webhookId}.${timestamp}.`).update(body).digest('base64'),
  }
}

/** What follows `whsec_` in a secret. */
export function textAfterPrefix(secret: string): string {
  return secret.slice(SIGNING_SECRET_PREFIX.length)
}
