import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { API_KEY } from '../../fixtures/secrets.ts'
import { serverSentence } from './refusal.ts'

describe('the explanation of the service', () => {
  it.each([
    ['"events[0]" has a wrong value', '"events[0]" has a wrong value'],
    ['two\nlines\u0000\u001b[31m', 'two lines [31m'],
    ['\u202eright to left', 'right to left'],
    [`the key ${API_KEY} is revoked`, 'the key [removed] is revoked'],
    ['the part S3cretS3cretS3cret is wrong', 'the part [removed] is wrong'],
    ['ntw_live_k8.another is not yours', '[removed] is not yours'],
    ['secret whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw was used', 'secret [removed] was used'],
    ['got "Authorization: Bearer abc.def"', 'got "Authorization: [removed]"'],
    ['   ', undefined],
    ['', undefined],
    [7, undefined],
    [undefined, undefined],
    [{ text: 'x' }, undefined],
  ])('%j is shown as %j', (given, shown) => {
    expect(serverSentence(given, API_KEY)).toBe(shown)
  })

  it('is cut after 200 characters, and not within a character', () => {
    expect(serverSentence('😀'.repeat(300), API_KEY)).toBe(`${'😀'.repeat(200)}…`)
  })

  it('never contains the key, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.stringMatching(/^[!-~]{8,40}$/), (before, after, apiKey) => {
        expect(serverSentence(`${before}${apiKey}${after}`, apiKey) ?? '').not.toContain(apiKey)
      }),
    )
  })
})
