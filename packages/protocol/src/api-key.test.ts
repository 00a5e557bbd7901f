import { describe, expect, it } from 'vitest'
import { keyIdOf } from './api-key.ts'

describe('the key id, which may be shown,', () => {
  it('stands between the prefix and the dot', () => expect(keyIdOf('ntw_live_k7.s3cret')).toBe('k7'))

  it('is found whatever the prefix (open point 24)', () => expect(keyIdOf('acme2_live_k7.s3cret')).toBe('k7'))

  it('is the part after the first _live_', () => expect(keyIdOf('ntw_live_a_live_b.s3cret')).toBe('a_live_b'))

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
    'ntw_live_k7.s3.cret',
  ])('is unknown for %j, which is no key of the contract', (text) => expect(keyIdOf(text)).toBeUndefined())
})
