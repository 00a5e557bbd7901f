import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { requestedDelayOf } from './requested-delay.ts'

const NOW = Date.UTC(2026, 0, 1)
const DAY = 24 * 60 * 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

const delayOf = (headers: Record<string, string>, status = 429) =>
  requestedDelayOf({ status, headers: new Headers(headers) })

const RESETS = ['ratelimit-reset', 'x-ratelimit-retry-after', 'x-ratelimit-reset', 'x-rate-limit-reset']

describe('the delay that the service requests', () => {
  it.each([
    ['30', 30_000],
    ['0030', 30_000],
    ['1.5', 2_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
    ['Thu Jan  1 00:00:30 2026', 30_000],
    ['2026-01-01T00:00:30Z', 30_000],
    ['2026-01-01T01:00:29.5+01:00', 30_000],
    [`${NOW / 1000 + 30}`, 30_000],
    [`${NOW / 1000 + 30}.25`, 31_000],
    [`${NOW + 30_000}`, 30_000],
    ['10, 30', 30_000],
    ['30,soon', 30_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT, Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['100000', DAY],
    [`${NOW / 1000 + 200_000}`, DAY],
  ])('%j is read, from each header', (value, delay) => {
    for (const name of ['retry-after', ...RESETS]) expect(delayOf({ [name]: value })).toBe(delay)
  })

  it.each([
    ...['', 'soon', '-1', '-30', '+30', '1e9', '1e99', 'NaN', 'Infinity', '0x10', '30 s', '2026-01-01', '.5'],
    ...['99999999', '99999999999', '9'.repeat(14), '9'.repeat(15), '9'.repeat(400), 'Fri, 01 Jan 2099 00:00:00 GMT'],
    ...['2026-01-01T00:00:30', 'Thu, 32 Jan 2026 00:00:30 GMT', ',,,'],
  ])('%j is ignored in each header', (value) => {
    for (const name of ['retry-after', ...RESETS]) expect(delayOf({ [name]: value })).toBeUndefined()
  })

  it.each(['0', 'Wed, 31 Dec 2025 23:59:59 GMT', `${NOW / 1000 - 5}`])(
    '%j is 0 in Retry-After, and ignored as a reset',
    (value) => {
      expect(delayOf({ 'retry-after': value })).toBe(0)
      for (const name of RESETS) expect(delayOf({ [name]: value })).toBeUndefined()
    },
  )

  it('compares a time with the header Date of the same response', () => {
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
    expect(delayOf({ date, 'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT' })).toBe(90_000)
    expect(delayOf({ date, 'x-ratelimit-reset': `${Date.parse(date) / 1000 + 90}` })).toBe(90_000)
  })

  it('is that of Retry-After if it can be used, and else that of a reset', () => {
    expect(delayOf({ 'retry-after': '5', 'ratelimit-reset': '60' })).toBe(5_000)
    expect(delayOf({ 'retry-after': 'soon', 'ratelimit-reset': '60' })).toBe(60_000)
    expect(delayOf({ 'ratelimit-reset': 'soon', 'x-ratelimit-reset': '60' })).toBe(60_000)
    expect(delayOf({})).toBeUndefined()
  })

  it.each([
    ['limit=100, remaining=0, reset=30', 30_000],
    ['"default";r=0;t=30', 30_000],
    ['"default"; r=0; t=30', 30_000],
    ['default;t=30;r=0;pk=:cHsidCI6OX0=:', 30_000],
    ['"burst";r=5;t=40000, "day";r=0;t=30', 30_000],
    ['"burst";r=0;t=5, "day";r=0;t=30', 30_000],
    ['"default";r=1;t=30', undefined],
    ['"default";r=0', undefined],
    ['"default";r=0;t=-5', undefined],
    ['limit=100, remaining=0', undefined],
    ['limit=100, reset=soon', undefined],
    ['30', undefined],
  ])('is that of the exceeded policies in RateLimit: %s', (value, delay) => {
    expect(delayOf({ ratelimit: value })).toBe(delay)
    expect(delayOf({ ratelimit: value, 'retry-after': '5' })).toBe(5_000)
    expect(delayOf({ ratelimit: value }, 503)).toBeUndefined()
  })

  it.each([408, 425, 500, 502, 503, 529])('is only that of Retry-After for a %i', (status) => {
    for (const name of RESETS) expect(delayOf({ [name]: '60' }, status)).toBeUndefined()
    expect(delayOf({ 'retry-after': '5', 'x-ratelimit-reset': '60' }, status)).toBe(5_000)
  })

  it('is whole seconds up to a day, for any text', () => {
    const value = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.stringMatching(/^[\d., ]*$/),
    )
    fc.assert(
      fc.property(fc.constantFrom('retry-after', ...RESETS), value, (name, text) => {
        const headers = { get: (asked: string) => (asked === name ? text : null) } as Headers
        const delay = requestedDelayOf({ status: 429, headers })
        if (delay === undefined) return
        expect(delay % 1000).toBe(0)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(DAY)
      }),
    )
  })
})
