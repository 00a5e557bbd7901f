import { ALPHABET } from './seeded-random.ts'

/**
 * Letters and digits from the secure generator of the runtime. A seed must not determine secrets: everyone who knows the seed could sign
 * deliveries, and the default seed is the same everywhere.
 */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // The highest bytes are skipped, because they would make the first letters more probable.
    for (const byte of randomBytes(length)) text += byte < 4 * ALPHABET.length ? ALPHABET[byte % ALPHABET.length] : ''
  }
  return text.slice(0, length)
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}
