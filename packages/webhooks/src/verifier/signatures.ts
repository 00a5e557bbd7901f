import { SIGNATURE_VERSION } from '@notewire/protocol'
import { type Refusal, refuse } from './verification.ts'

/** Each entry costs a comparison, and nobody signs with more secrets than this. */
const MAX_ENTRIES = 32

/** The length of the base64 text of 32 bytes. */
const SIGNATURE_LENGTH = 44

const VERSION = `${SIGNATURE_VERSION},`

/**
 * Reads the entries of `webhook-signature` that are of scheme `v1` (contract §5, receiver rule 4). Entries of another
 * version, and text that can be no signature, count for nothing.
 */
export function readSignatures(
  header: string,
): { readonly status: 'read'; readonly signatures: readonly string[] } | Refusal {
  const entries = header.split(' ').filter((entry) => entry !== '')
  if (entries.length > MAX_ENTRIES) {
    return refuse(
      'malformed-header',
      `the header webhook-signature has ${entries.length} entries; at most ${MAX_ENTRIES} are allowed`,
    )
  }
  const signatures = entries
    .filter((entry) => entry.startsWith(VERSION))
    .map((entry) => entry.slice(VERSION.length))
    .filter((text) => text.length === SIGNATURE_LENGTH)
  return { status: 'read', signatures }
}

/**
 * Tells whether any entry is the expected signature, in a time that depends on their number alone. The texts are compared
 * and not the bytes they stand for: other texts decode to the same bytes, and a changed header must not verify.
 */
export function signatureMatches(expected: string, entries: readonly string[]): boolean {
  let matches = 0
  for (const entry of entries) matches |= equalInConstantTime(expected, entry)
  return matches === 1
}

function equalInConstantTime(expected: string, entry: string): 0 | 1 {
  let difference = 0
  for (let index = 0; index < SIGNATURE_LENGTH; index += 1) {
    difference |= expected.charCodeAt(index) ^ entry.charCodeAt(index)
  }
  return difference === 0 ? 1 : 0
}
