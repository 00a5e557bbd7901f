import { type CheckedHeaders, SIGNATURE_LENGTH } from './header-check.ts'
import { hmacSha256 } from './hmac.ts'
import { isGap, keyBytesOf, type SecretList } from './signing-secret.ts'
import { refuse, type Verification } from './verification.ts'

/** The second step of a verification: checks whether one of the signatures matches the body. Synchronous in Node.js. */
export type SignatureCheck = (
  body: Uint8Array | string,
  checked: CheckedHeaders,
) => Verification | Promise<Verification>

/**
 * Prepares the keys of the secrets, so that each check only computes signatures (contract §5, receiver rule 4). A check without a secret
 * refuses every signature.
 *
 * @throws SecretError when a secret is malformed
 */
export function createSignatureCheck(secrets: SecretList): SignatureCheck {
  const signers = secrets.map((secret) => (isGap(secret) ? undefined : hmacSha256(keyBytesOf(secret))))
  return (body, headers) => {
    const expected = signers.map((sign) => sign?.(headers.signedPrefix, body))
    return expected.every((each) => typeof each !== 'object')
      ? judge(expected, headers)
      : Promise.all(expected).then((signatures) => judge(signatures, headers))
  }
}

/** Compares every expected signature with every entry, so that the time taken does not show which one matched. */
function judge(
  expected: readonly (string | undefined)[],
  { webhookId, timestamp, signatures }: CheckedHeaders,
): Verification {
  const secretIndex = expected.map((each) => each !== undefined && signatureMatches(each, signatures)).indexOf(true)
  if (secretIndex === -1) {
    return refuse('no-matching-signature', 'no v1 signature matches this body with any known secret')
  }
  return { status: 'verified', webhookId, timestamp, secretIndex }
}

/**
 * Whether one of the entries is the expected signature. The time taken depends only on their number. Compares the base64 texts and not the
 * decoded bytes: several texts decode to the same bytes, and a changed header must not verify.
 */
function signatureMatches(expected: string, entries: readonly string[]): boolean {
  let matches = 0
  for (const entry of entries) {
    let difference = 0
    for (let index = 0; index < SIGNATURE_LENGTH; index += 1) {
      difference |= expected.charCodeAt(index) ^ entry.charCodeAt(index)
    }
    matches |= Number(difference === 0)
  }
  return matches === 1
}
