import { base64Of } from './base64.ts'

/**
 * Computes the HMAC-SHA256 of the two parts, one after the other, under a key it keeps, as base64 text. At once where the
 * runtime can.
 */
export type HmacSha256 = (prefix: string, body: Uint8Array | string) => string | Promise<string>

/** The fastest HMAC-SHA256 that the runtime has: Node's crypto where it is found, WebCrypto elsewhere. */
export function hmacSha256(key: Uint8Array<ArrayBuffer>): HmacSha256 {
  const crypto = nodeCrypto()
  return crypto === undefined ? webHmacSha256(key) : nodeHmacSha256(crypto, key)
}

/** HMAC-SHA256 by `node:crypto`. A key object costs a quarter of what the raw key costs at each call. */
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

// Asked for at call time, inside `try`: an import would break browsers, Workers and Next's edge runtime.
function nodeCrypto(): typeof import('node:crypto') | undefined {
  try {
    return process.getBuiltinModule('node:crypto')
  } catch {
    return undefined
  }
}
