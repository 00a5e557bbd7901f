/**
 * Computes the HMAC-SHA256 of the prefix followed by the body, as base64. Synchronous in Node.js.
 */
export type HmacSha256 = (prefix: string, body: Uint8Array | string) => string | Promise<string>

/** HMAC-SHA256 with a key, by `node:crypto` if the runtime has it, and by WebCrypto otherwise. */
export function hmacSha256(key: Uint8Array<ArrayBuffer>): HmacSha256 {
  const crypto = nodeCrypto()
  return crypto === undefined ? webHmacSha256(key) : nodeHmacSha256(crypto, key)
}

/** HMAC-SHA256 by `node:crypto`. With a key object, a call takes a quarter of the time that it takes with the raw key. */
export function nodeHmacSha256(crypto: typeof import('node:crypto'), key: Uint8Array): HmacSha256 {
  const keyObject = crypto.createSecretKey(key)
  return (prefix, body) => crypto.createHmac('sha256', keyObject).update(prefix).update(body).digest('base64')
}

/** HMAC-SHA256 by WebCrypto, for runtimes without `node:crypto`. */
export function webHmacSha256(key: Uint8Array<ArrayBuffer>): HmacSha256 {
  const encoder = new TextEncoder()
  let imported: Promise<CryptoKey> | undefined
  return async (prefix, body) => {
    imported ??= crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const head = encoder.encode(prefix)
    const tail = typeof body === 'string' ? encoder.encode(body) : body
    const content = new Uint8Array(head.length + tail.length)
    content.set(head)
    content.set(tail, head.length)
    return base64Of(new Uint8Array(await crypto.subtle.sign('HMAC', await imported, content)))
  }
}

// Not an import, which would break browsers, Workers and Next's edge runtime.
function nodeCrypto(): typeof import('node:crypto') | undefined {
  try {
    return globalThis.process.getBuiltinModule('node:crypto')
  } catch {
    return undefined
  }
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
