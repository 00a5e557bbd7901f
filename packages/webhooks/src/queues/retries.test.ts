import { describe, expect, it } from 'vitest'
import { DEFAULT_ATTEMPTS, refuseCount, retryDelayMs } from './retries.ts'

const shortest = () => 0
const longest = () => 1

describe('the delay before the next attempt', () => {
  it('is one to two seconds at first, and doubles', () => {
    expect([1, 2, 3, 4].map((failures) => retryDelayMs(failures, shortest))).toEqual([1_000, 2_000, 4_000, 8_000])
    expect([1, 2, 3, 4].map((failures) => retryDelayMs(failures, longest))).toEqual([2_000, 4_000, 8_000, 16_000])
  })

  it('is never longer than an hour', () => {
    expect(retryDelayMs(12, longest)).toBe(3_600_000)
    expect(retryDelayMs(5_000, shortest)).toBe(3_600_000)
  })

  it('makes all attempts take four to five hours', () => {
    const failures = Array.from({ length: DEFAULT_ATTEMPTS - 1 }, (_, index) => index + 1)
    const hours = (random: () => number) =>
      failures.reduce((total, failure) => total + retryDelayMs(failure, random), 0) / 3_600_000
    expect(hours(shortest)).toBeGreaterThan(4)
    expect(hours(longest)).toBeLessThan(5.2)
  })
})

it.each([0, -1, 1.5, Number.NaN, '3'])('refuses %s attempts', (count) => {
  expect(() => refuseCount('attempts', count as number, 16)).toThrow(/attempts must be a whole number, 1 or more/)
})
