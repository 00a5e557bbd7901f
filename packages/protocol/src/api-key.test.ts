import { describe, expect, it } from 'vitest'
import { keyIdOf } from './identifier.ts'

describe('keyIdOf', () => {
  it('returns the text between _live_ and the dot', () => expect(keyIdOf('ntw_live_k7.s3cret')).toBe('k7'))

  it('accepts any prefix (row 24)', () => expect(keyIdOf('acme2_live_k7.s3cret')).toBe('k7'))

  it.each([
    'acme-notes_live_k7.s3cret',
    'acme_notes_live_k7.s3cret',
    'acme.notes_live_k7.s3cret',
    '_acme_live_k7.s3cret',
  ])('accepts a prefix with "-", "_" or ".": %s', (apiKey) => expect(keyIdOf(apiKey)).toBe('k7'))

  it.each(['ntw_live_k7.s3+c/ret==', 'ntw_live_k7.s3.cret', 'ntw_live_k7.~s3:cret!', 'ntw_live_k7.x_live_y.z'])(
    'accepts a secret of any visible characters: %s (row 24)',
    (apiKey) => expect(keyIdOf(apiKey)).toBe('k7'),
  )

  it('accepts any visible character except the dot in the key id', () =>
    expect(keyIdOf('ntw_live_k7+/=:~.s3cret')).toBe('k7+/=:~'))

  it('starts after the first _live_', () => expect(keyIdOf('ntw_live_a_live_b.s3cret')).toBe('a_live_b'))

  it.each([
    '',
    's3cret',
    'ntw_live_k7',
    'ntw_live_k7.',
    'ntw_live_.s3cret',
    '_live_k7.s3cret',
    'ntw_test_k7.s3cret',
    'ntw_live_k7.s3cret\n',
    'Bearer ntw_live_k7.s3cret',
    'ntw_live_k7.s3 cret',
    'ntw_live_k\u00e97.s3cret',
  ])('returns undefined for %j, which does not have the form of the contract', (text) =>
    expect(keyIdOf(text)).toBeUndefined(),
  )
})
