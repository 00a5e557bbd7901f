import { describe, expect, it } from 'vitest'
import { jittered } from './timing.ts'

describe('the jitter of a time', () => {
  it('is constant for an integration, and shortens the time by up to a fifth', () => {
    const times = Array.from({ length: 1_000 }, (_, index) => jittered(100_000, `customer-${index}`))
    expect(jittered(100_000, 'customer-7')).toBe(times[7])
    expect(Math.min(...times)).toBeGreaterThanOrEqual(80_000)
    expect(Math.max(...times)).toBeLessThanOrEqual(100_000)
  })

  it('differs among integrations with similar ids', () => {
    const tenths = new Set(
      Array.from({ length: 1_000 }, (_, index) => Math.floor(jittered(100_000, `customer-${index}`) / 2_000)),
    )
    expect(tenths.size).toBeGreaterThanOrEqual(10)
  })
})
