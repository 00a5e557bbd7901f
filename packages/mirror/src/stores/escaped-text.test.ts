import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapedText, unescapedText } from './escaped-text.ts'

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\u001A', '\uD83D', '\uDE00', '\n', '0', 'd'), fc.string({ unit: 'binary' })),
})

describe('escaped text', () => {
  it('contains neither NUL nor an unpaired surrogate', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = escapedText(text)
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true)
      }),
    )
  })

  it('is unescaped to the original text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(unescapedText(escapedText(text))).toBe(text)
      }),
    )
  })

  it('differs from the original text only in NUL, unpaired surrogates and U+001A', () => {
    expect(escapedText('Grüße,\r\n\t\u{1F4DD} \u2028')).toBe('Grüße,\r\n\t\u{1F4DD} \u2028')
    expect(escapedText('a\0b\uD83Dc\u001A')).toBe('a\u001A0000b\u001Ad83dc\u001A001a')
  })
})
