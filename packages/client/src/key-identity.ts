import { keyIdOf, OptionError } from '@notewire/protocol'

/**
 * Identifies the API key of a client without showing it: by its key id (contract §2), or by a digest if the key has none.
 *
 * Compare digests only with digests of the same salt. Do not log them: a short key could be guessed.
 */
export type KeyIdentity =
  | { readonly kind: 'key_id'; readonly keyId: string }
  | { readonly kind: 'digest'; readonly digest: string }

/** 128 bits of the SHA-256 are enough to tell keys apart. */
const DIGEST_BYTES = 16

/** @throws OptionError when the salt is empty */
export async function identifyKey(apiKey: string, salt: string): Promise<KeyIdentity> {
  if (typeof salt !== 'string' || salt === '') {
    throw new OptionError('salt', 'salt is empty. Pass a random string, and store it together with the identity.')
  }
  const keyId = keyIdOf(apiKey)
  if (keyId !== undefined) return { kind: 'key_id', keyId }
  // A key contains no line break, so no other pair of salt and key makes the same text.
  const text = new TextEncoder().encode(`notewire key identity\n${salt}\n${apiKey}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text), 0, DIGEST_BYTES)
  return { kind: 'digest', digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
}
