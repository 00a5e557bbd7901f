import { describe, expect, it } from 'vitest'
import { MockServerError } from '../errors/mock-server-error.ts'
import { type Duration, durationMs } from './duration.ts'

describe('a duration', () => {
  it.each<[Duration, number]>([
    [1500, 1500],
    ['90s', 90_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['26h40m', 96_000_000],
    ['1h1m1s', 3_661_000],
    ['1h30s', 3_630_000],
  ])('%s is %i ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms)
  })

  it.each([
    '',
    '5',
    '5 m',
    'm5',
    '-5m',
    '1.5h',
    '40m26h',
    '1d',
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e16,
    '876601h',
  ])('refuses %j and says how to write one', (malformed) => {
    expect(() => durationMs(malformed as Duration)).toThrow(MockServerError)
    expect(() => durationMs(malformed as Duration)).toThrow('26h40m')
  })
})
