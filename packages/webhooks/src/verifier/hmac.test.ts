import * as crypto from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmacSha256, nodeHmacSha256, webHmacSha256 } from './hmac.ts'

const aCodePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
// To make `fc.string({ unit: 'binary' })` takes seconds of processor time, which a test on a busy machine does not have.
const anyText = fc.array(aCodePoint).map((points) => String.fromCodePoint(...points))

describe('HMAC-SHA256', () => {
  it('answers the vector of RFC 4231, test case 2', async () => {
    const key = new Uint8Array(Buffer.from('Jefe'))
    const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
    for (const sign of [hmacSha256(key), nodeHmacSha256(crypto, key), webHmacSha256(key)]) {
      const signature = await sign('what do ya want ', 'for nothing?')
      expect(Buffer.from(signature, 'base64').toString('hex')).toBe(expected)
    }
  })

  it('is the same by Node.js and by WebCrypto, for text and for bytes', { timeout: 60_000 }, async () => {
    const anInput = fc.tuple(fc.uint8Array({ minLength: 16, maxLength: 80 }), anyText, anyText)
    await fc.assert(
      fc.asyncProperty(anInput, async ([key, prefix, body]) => {
        const copy = new Uint8Array(key)
        const bytes = new TextEncoder().encode(body)
        const expected = nodeHmacSha256(crypto, copy)(prefix, body)
        // All at once, since each call of WebCrypto waits for a thread.
        const others = await Promise.all([
          webHmacSha256(copy)(prefix, body),
          webHmacSha256(copy)(prefix, bytes),
          nodeHmacSha256(crypto, copy)(prefix, bytes),
        ])
        expect(others).toEqual([expected, expected, expected])
      }),
    )
  })
})
