/** Computes a digest of the base URL and the API key of a client, with more text. */
type Digest = (text: string) => Promise<string>

/** A random salt of this process: the digests say nothing about a key. Made late, because Workers allow no random value before a request. */
let salt: string | undefined
/** Of the parts of clients that a copy of a client keeps, so that `{ ...client }` and its like are recognised. */
const digests = new WeakMap<object, Digest>()

/** Remembers which base URL and API key the client has whose parts these are. The map contains no key. */
export function rememberAccess(parts: readonly object[], baseUrl: string, apiKey: string): void {
  const digest: Digest = (text) => digestOf([baseUrl, apiKey, text])
  for (const part of parts) digests.set(part, digest)
}

/**
 * Identifies a text together with the base URL and the API key of a client. Two clients with the same base URL and key give the same digest.
 * An object that was not made from a `NotesClient` counts as one key.
 */
export async function identifyWithAccess(source: object, parts: readonly object[], text: string): Promise<string> {
  const known = parts.map((part) => digests.get(part)).find((digest) => digest !== undefined)
  const digest = known ?? digests.get(source) ?? rememberUnknown(source)
  return await digest(text)
}

function rememberUnknown(source: object): Digest {
  const id = crypto.randomUUID()
  const digest: Digest = (text) => digestOf([id, text])
  digests.set(source, digest)
  return digest
}

/** 128 bits of the SHA-256 are enough to tell keys apart. */
const DIGEST_BYTES = 16

async function digestOf(texts: readonly string[]): Promise<string> {
  salt ??= crypto.randomUUID()
  const bytes = new TextEncoder().encode(JSON.stringify([salt, ...texts]))
  return String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes), 0, DIGEST_BYTES))
}
