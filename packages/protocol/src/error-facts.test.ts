import { describe, expect, it } from 'vitest'
import { errorFactsOf, shortWord } from './errors.ts'

describe('the facts of an error', () => {
  it.each([
    [new TypeError('the note says "secret"'), { name: 'TypeError', code: null }],
    [Object.assign(new Error('no'), { code: 'ECONNRESET' }), { name: 'Error', code: 'ECONNRESET' }],
    [Object.assign(new Error('no'), { code: 23505 }), { name: 'Error', code: '23505' }],
    [
      { name: 'a title of a note', code: { note: 1 } },
      { name: 'Error', code: null },
    ],
    ['a title of a note', { name: 'Error', code: null }],
    [undefined, { name: 'Error', code: null }],
    [Object.assign(new Error('no'), { code: 'ntw_live_k7.s3cret' }), { name: 'Error', code: null }],
  ])('are its name and code, never its message: %s', (thrown, facts) => {
    expect(errorFactsOf(thrown)).toEqual(facts)
  })

  it('are empty if the value throws when it is read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(errorFactsOf(proxy)).toEqual({ name: 'Error', code: null })
  })
})

describe('shortWord', () => {
  it.each(['not_found', 'NOT_FOUND', 'notes:read', 'req-1.7', '7f3c9a52-2f6e-4a4e-9d0c-0a5f3f7e1b11'])(
    'keeps %s',
    (name) => {
      expect(shortWord(name)).toBe(name)
    },
  )

  it.each(['', 'free text', '<b>', 'x'.repeat(65), 'ntw_live_k7.s3cret', 7, null, undefined])('drops %j', (name) => {
    expect(shortWord(name)).toBeUndefined()
  })
})
