import type { CheckedHeaders } from './header-check.ts'
import { type HmacSha256, hmacSha256 } from './hmac.ts'
import { signatureMatches } from './signatures.ts'
import { keyBytesOf } from './signing-secret.ts'
import { refuse, type Verification } from './verification.ts'

/** The second step of a verification: decides whether one of the signatures is that of this body. */
export type SignatureCheck = (body: Uint8Array | string, checked: CheckedHeaders) => Promise<Verification>

/**
 * Prepares the keys of the secrets, so that each check only computes signatures (contract §5, receiver rule 4).
 *
 * @throws SecretError when a secret is malformed
 */
export function createSignatureCheck(secrets: readonly string[]): SignatureCheck {
  const signers = secrets.map((each) => hmacSha256(keyBytesOf(each)))
  return async (body, { webhookId, timestamp, signedPrefix, signatures }) => {
    const secretIndex = await matchingSecret(signers, signedPrefix, body, signatures)
    if (secretIndex === -1) {
      return refuse('no-matching-signature', 'no v1 signature matches this body with any known secret')
    }
    return { status: 'verified', webhookId, timestamp, secretIndex }
  }
}

/** Compares every secret with every entry, so that the time taken does not tell which one matched. */
async function matchingSecret(
  signers: readonly HmacSha256[],
  signedPrefix: string,
  body: Uint8Array | string,
  signatures: readonly string[],
): Promise<number> {
  const matches: boolean[] = []
  for (const sign of signers) {
    const expected = sign(signedPrefix, body)
    // Awaiting what is there already would cost every delivery a turn of the queue.
    matches.push(signatureMatches(typeof expected === 'string' ? expected : await expected, signatures))
  }
  return matches.indexOf(true)
}
