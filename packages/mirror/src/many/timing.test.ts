import { describe, expect, it } from 'vitest'
import { spread } from './timing.ts'

describe('a time that is spread', () => {
  it('is the same for an integration, and up to a fifth shorter', () => {
    const times = Array.from({ length: 1_000 }, (_, index) => spread(100_000, `customer-${index}`))
    expect(spread(100_000, 'customer-7')).toBe(times[7])
    expect(Math.min(...times)).toBeGreaterThanOrEqual(80_000)
    expect(Math.max(...times)).toBeLessThanOrEqual(100_000)
  })

  it('differs among integrations with similar ids', () => {
    const tenths = new Set(
      Array.from({ length: 1_000 }, (_, index) => Math.floor(spread(100_000, `customer-${index}`) / 2_000)),
    )
    expect(tenths.size).toBeGreaterThanOrEqual(10)
  })
})
