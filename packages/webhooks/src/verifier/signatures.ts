import { SIGNATURE_VERSION } from '@notewire/protocol'
import { bytesOfBase64 } from './base64.ts'
import { type Refusal, refuse } from './verification.ts'

/** Each entry costs a comparison, and nobody signs with more secrets than this. */
const MAX_ENTRIES = 32

const VERSION = `${SIGNATURE_VERSION},`

/**
 * The base64 text of exactly 32 bytes, in its one canonical form. Other texts decode to the same bytes (the last
 * character has two bits to spare); accepting them would let a changed header verify.
 */
const SIGNATURE_FORM = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * Reads the entries of `webhook-signature` that are of scheme `v1` (contract §5, receiver rule 4). Entries of another
 * version, and text that is no signature, count for nothing.
 */
export function readSignatures(
  header: string,
): { readonly status: 'read'; readonly signatures: readonly Uint8Array[] } | Refusal {
  const entries = header.split(' ').filter((entry) => entry !== '')
  if (entries.length > MAX_ENTRIES) {
    return refuse(
      'malformed-header',
      `the header webhook-signature has ${entries.length} entries; ${MAX_ENTRIES} are allowed`,
    )
  }
  const signatures: Uint8Array[] = []
  for (const entry of entries) {
    const text = entry.slice(VERSION.length)
    if (entry.startsWith(VERSION) && SIGNATURE_FORM.test(text)) signatures.push(bytesOfBase64(text))
  }
  return { status: 'read', signatures }
}

/** Tells whether any entry is the expected signature, in a time that depends on their number alone. */
export function signatureMatches(expected: Uint8Array, entries: readonly Uint8Array[]): boolean {
  let matches = 0
  for (const entry of entries) matches |= equalInConstantTime(expected, entry)
  return matches === 1
}

function equalInConstantTime(left: Uint8Array, right: Uint8Array): 0 | 1 {
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1) difference |= (left[index] ?? 0) ^ (right[index] ?? 0)
  return difference === 0 ? 1 : 0
}
