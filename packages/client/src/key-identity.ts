import { keyIdOf, OptionError } from '@notewire/protocol'

/**
 * Identifies the API key of a client without showing it: by its key id (contract §2), if it has one, and by a digest of the whole key. The key
 * id may be shown, so that another person can make a key with the same id. An identity of version 0.1.0 with a key id has no digest.
 *
 * Compare digests only with digests of the same salt. Do not log them: a short key could be guessed.
 */
export type KeyIdentity =
  | { readonly kind: 'key_id'; readonly keyId: string; readonly digest?: string | undefined }
  | { readonly kind: 'digest'; readonly digest: string }

/** 128 bits of the SHA-256 are enough to tell keys apart. */
const DIGEST_BYTES = 16

/** @throws OptionError when the salt is empty */
export async function identifyKey(apiKey: string, salt: string): Promise<KeyIdentity> {
  if (typeof salt !== 'string' || salt === '') {
    throw new OptionError('salt', 'salt is empty. Pass a random string, and store it together with the identity.')
  }
  // A key contains no line break, so no other pair of salt and key makes the same text.
  const text = new TextEncoder().encode(`notewire key identity\n${salt}\n${apiKey}`)
  const digest = Array.from(await sha256(text), (byte) => byte.toString(16).padStart(2, '0'))
    .slice(0, DIGEST_BYTES)
    .join('')
  const keyId = keyIdOf(apiKey)
  return keyId === undefined ? { kind: 'digest', digest } : { kind: 'key_id', keyId, digest }
}

/** Node.js computes the digest of a short text in place, where WebCrypto passes it to another thread: a mirror does this in each round. */
async function sha256(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const node = nodeCrypto()
  if (node !== undefined) return node.createHash('sha256').update(text).digest()
  return new Uint8Array(await crypto.subtle.digest('SHA-256', text))
}

// Not an import, which would break browsers, Workers and Next's edge runtime.
function nodeCrypto(): typeof import('node:crypto') | undefined {
  try {
    return globalThis.process.getBuiltinModule('node:crypto')
  } catch {
    return undefined
  }
}
