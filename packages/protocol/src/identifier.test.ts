import { describe, expect, it } from 'vitest'
import { isIdentifier, isIntegrationId, MAX_IDENTIFIER_LENGTH } from './identifier.ts'

describe('an identifier', () => {
  it.each([
    ['one character', 'a'],
    ['as long as allowed', 'x'.repeat(MAX_IDENTIFIER_LENGTH)],
    ['an emoji', '\u{1F4DD}'],
    ['a line break', 'a\nb'],
    ['a control character other than NUL', 'a\u0001'],
  ])('may be %s', (_what, value) => expect(isIdentifier(value)).toBe(true))

  it.each([
    ['empty', ''],
    ['one unit too long', 'x'.repeat(MAX_IDENTIFIER_LENGTH + 1)],
    ['NUL', 'a\0b'],
    ['the first half of a surrogate pair', 'a\ud83d'],
    ['the second half of a surrogate pair', '\udcdda'],
    ['a number', 7],
    ['null', null],
    ['absent', undefined],
  ])('must not be or contain: %s', (_what, value) => expect(isIdentifier(value)).toBe(false))
})

describe('the id of an integration', () => {
  it.each(['a', '7', 'acme', 'a.b_c~d-e', '...', '.a', '__proto__', 'x'.repeat(128)])('may be %s', (id) => {
    expect(isIntegrationId(id)).toBe(true)
  })

  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a b',
    'a%20b',
    '%2e%2e',
    'a\n',
    'ä',
    '\u202e',
    'x'.repeat(129),
    7,
    null,
    undefined,
    ['a'],
  ])('must not be %j', (id) => expect(isIntegrationId(id)).toBe(false))

  it.each(['a', 'a.b_c~d-e', '...', '.a'])('is not encoded in the path of a URL: %s', (id) => {
    expect(new URL(`https://receiver.test/webhooks/${id}`).pathname).toBe(`/webhooks/${id}`)
  })
})
