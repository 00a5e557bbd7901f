import { describe, expect, it } from 'vitest'
import { retryAfterOf } from './response-parts.ts'

describe('Retry-After', () => {
  it('may be in seconds', () => {
    expect(retryAfterOf(new Headers({ 'retry-after': '30' }))).toBe(30_000)
  })

  it('may be a date, which is compared with the header Date of the same response', () => {
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
    expect(retryAfterOf(new Headers({ date, 'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT' }))).toBe(90_000)
  })

  it('is 0 for a date in the past', () => {
    expect(retryAfterOf(new Headers({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }))).toBe(0)
  })

  it.each(['', 'soon', '-1', '1e99', '99999999999'])('is ignored if it is %j', (value) => {
    expect(retryAfterOf(new Headers({ 'retry-after': value }))).toBeUndefined()
  })

  it('may be absent', () => {
    expect(retryAfterOf(new Headers())).toBeUndefined()
  })
})
