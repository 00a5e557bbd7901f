import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { originalText, storedText } from './text.ts'

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\u001A', '\uD83D', '\uDE00', '\n', '0', 'd'), fc.string({ unit: 'binary' })),
})

describe('stored text', () => {
  it('is whole characters without NUL, whatever it was', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storedText(text)
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true)
      }),
    )
  })

  it('reads as it was', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(originalText(storedText(text))).toBe(text)
      }),
    )
  })

  it('is the text itself, where SQLite can hold it', () => {
    expect(storedText('Grüße,\r\n\t\u{1F4DD} \u2028')).toBe('Grüße,\r\n\t\u{1F4DD} \u2028')
    expect(storedText('a\0b\uD83Dc\u001A')).toBe('a\u001A0000b\u001Ad83dc\u001A001a')
  })
})
