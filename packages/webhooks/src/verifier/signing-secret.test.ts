import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyBytesOf, SecretError } from './signing-secret.ts'

const aKey = fc.uint8Array({ minLength: 16, maxLength: 64 })

describe('a signing secret', () => {
  it.each(['base64url', 'base64'] as const)('is %s text after its prefix, padded or not (§5)', (alphabet) => {
    fc.assert(
      fc.property(aKey, (key) => {
        const text = Buffer.from(key).toString(alphabet)
        const unpadded = text.replace(/=+$/, '')
        const padded = unpadded.padEnd(Math.ceil(unpadded.length / 4) * 4, '=')
        expect([...keyBytesOf(`whsec_${unpadded}`)]).toEqual([...key])
        expect([...keyBytesOf(`whsec_${padded}`)]).toEqual([...key])
      }),
    )
  })

  it.each([16, 17, 18])('of %i bytes is read with none, one or two signs of padding at its end', (bytes) => {
    const key = Buffer.alloc(bytes, 7)
    const text = key.toString('base64url')
    for (const padding of ['', '=', '==']) expect(Buffer.from(keyBytesOf(`whsec_${text}${padding}`))).toEqual(key)
  })

  it.each([16, 17, 18])('of %i bytes is refused with three signs of padding, or with padding and more', (bytes) => {
    const text = Buffer.alloc(bytes, 7).toString('base64url')
    const position = 6 + text.length
    for (const end of ['===', '====', '=A', '==A', '= ', '=\n']) {
      expect(() => keyBytesOf(`whsec_${text}${end}`)).toThrow(/found padding at position/)
    }
    expect(() => keyBytesOf(`whsec_${text}===`)).toThrow(`found padding at position ${position}`)
  })

  it('of padding alone has no key', () => {
    for (const padding of ['=', '==']) expect(() => keyBytesOf(`whsec_${padding}`)).toThrow(/0 key bytes/)
  })

  it.each([
    ['', /does not start with "whsec_"/],
    ['whsec_', /0 key bytes/],
    ['whsec_YWJj', /contains 3 key bytes; at least 16 are required/],
    ['c2VjcmV0LW9mLTE2LWJ5dGVz', /does not start with "whsec_"/],
    ['WHSEC_c2VjcmV0LW9mLTE2LWJ5dGVz', /does not start with "whsec_"/],
    ['whsec_c2Vjcm V0LW9mLTE2LWJ5dGVz', /found a space at position 12/],
    ['whsec_c2VjcmV0LW9mLTE2LWJ5dGVz\n', /found a line break at position 30/],
    ['whsec_c2VjcmV0LW9mLTE2LWJ5dGVz\r', /found a line break at position 30/],
    ['"whsec_c2VjcmV0LW9mLTE2LWJ5dGVz', /does not start with "whsec_"/],
    ['whsec_c2VjcmV0LW9mLTE2LWJ5dGVz"', /found another character at position 30/],
    ['whsec_"c2VjcmV0LW9mLTE2LWJ5dGVz"', /found another character at position 6/],
    ['whsec_c2Vj=mV0LW9mLTE2LWJ5dGVz', /found padding at position 10/],
    ['whsec_c2Vjcm%V0LW9mLTE2LWJ5dGVz', /found another character at position 12/],
    ['whsec_c2VjcmV0LW9mLTE2LWJ5dGVza', /is incomplete/],
  ])('is refused as %j, with the reason and the next step', (secret, reason) => {
    expect(() => keyBytesOf(secret)).toThrow(reason)
    expect(() => keyBytesOf(secret)).toThrow(/Copy it again from the response that created the endpoint/)
  })

  it.each(['"', "'", '`'])('is refused in quotes: %s', (quote) => {
    const quoted = `${quote}whsec_c2VjcmV0LW9mLTE2LWJ5dGVz${quote}`
    expect(() => keyBytesOf(quoted)).toThrow('the signing secret has quotes around it. Remove them.')
  })

  it.each([undefined, null, 7, {}])('is refused when it is %s', (secret) => {
    expect(() => keyBytesOf(secret as unknown as string)).toThrow(SecretError)
  })

  it('is never quoted by the error that refuses it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        try {
          keyBytesOf(`whsec_${text}`)
        } catch (error) {
          expect(String(error)).not.toContain(text)
        }
      }),
    )
  })
})
