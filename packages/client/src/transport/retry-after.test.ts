import { describe, expect, it } from 'vitest'
import { retryAfterOf } from './retry-after.ts'

describe('Retry-After', () => {
  it('in seconds is a pause', () => {
    expect(retryAfterOf(new Headers({ 'retry-after': '30' }))).toBe(30_000)
  })

  it('as a date is compared to the Date of the same answer', () => {
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
    expect(retryAfterOf(new Headers({ date, 'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT' }))).toBe(90_000)
  })

  it('as a date that is over asks for no pause', () => {
    expect(retryAfterOf(new Headers({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }))).toBe(0)
  })

  it.each(['', 'soon', '-1', '1e99', '99999999999'])('that says %j is as good as none', (value) => {
    expect(retryAfterOf(new Headers({ 'retry-after': value }))).toBeUndefined()
  })

  it('may be absent', () => {
    expect(retryAfterOf(new Headers())).toBeUndefined()
  })
})
