import fc from 'fast-check'
import { expect, it } from 'vitest'
import { indented } from './json-text.ts'

it('breaks JSON into indented lines', () => {
  expect(indented('{"a":[1,{"b":"{ , }"}],"c":{},"d":[ ]}')).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": "{ , }"\n    }\n  ],\n  "c": {},\n  "d": []\n}',
  )
})

it('indents as JSON.stringify does, whatever the JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text)
      const expected = typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text
      expect(indented(JSON.stringify(value))).toBe(
        typeof value === 'object' && value !== null ? expected : JSON.stringify(value),
      )
    }),
  )
})

it('keeps numbers, escapes and repeated fields as they were sent', () => {
  expect(indented('{"n":1.0e400,"n":12345678901234567890,"s":"\\u00e9\\""}')).toBe(
    '{\n  "n": 1.0e400,\n  "n": 12345678901234567890,\n  "s": "\\u00e9\\""\n}',
  )
})

it('indents JSON whose end is missing', () => {
  expect(indented('{"notes":[{"title":"Stand-')).toBe('{\n  "notes": [\n    {\n      "title": "Stand-')
  expect(indented('{"ok":tr')).toBe('{\n  "ok": tr')
})

it.each(['', 'the database is locked', '[error] no such file, see: log', '<h1>{}</h1>', '{not: json}'])(
  'returns %j as it is',
  (text) => expect(indented(text)).toBe(text),
)

it('indents deeply nested JSON by 32 levels at most, because each level makes each line longer', () => {
  expect(indented('['.repeat(60_000)).length).toBeLessThan(10_000_000)
})

it('reads a text with many letters once', () => {
  const text = `{${'e'.repeat(5_000_000)}!`
  expect(indented(text)).toBe(text)
})
