import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapedJson, readEscapedJson } from './escaped-text.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\0', '\u001a', '\ud83d', '\udcdd', '\\', '\\u0000', '\\u001a', '0000', 'd83d', '"', '\u{1F4DD}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})
const value = fc.oneof(
  text,
  fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, text, fc.integer(), fc.constant(null), tie('list'), tie('record')),
    list: fc.array(tie('any')),
    record: fc.dictionary(text, tie('any'), { noNullPrototype: true }),
  })).any,
)

describe('JSON for PostgreSQL', () => {
  it('contains neither NUL nor an unpaired surrogate', () => {
    fc.assert(
      fc.property(value, (any) => {
        const texts = JSON.stringify(JSON.parse(escapedJson(any)))
        expect(texts.replaceAll('\\\\', '')).not.toMatch(/\\u(0000|d[89a-f])/)
      }),
    )
  })

  it('is parsed to the original value', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(readEscapedJson(escapedJson(any))).toEqual(any)
      }),
    )
  })
})
