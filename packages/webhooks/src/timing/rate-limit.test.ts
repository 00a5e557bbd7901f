import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { MAX_LIMITS, RateLimits } from './rate-limit.ts'

describe('the limits of reasons and integrations', () => {
  it('keep at most MAX_LIMITS of them: the oldest is dropped', () => {
    const limits = new RateLimits(new ManualClock(), { maxCalls: 1, windowMs: 60_000 })
    for (let index = 0; index < MAX_LIMITS; index += 1) expect(limits.admit(`customer_${index}`, 'reason')).toBe(0)
    expect(limits.admit('customer_0', 'reason')).toBeUndefined()
    expect(limits.admit('another', 'reason')).toBe(0)
    expect(limits.admit('customer_1', 'reason')).toBeUndefined()
    expect(limits.admit('customer_0', 'reason')).toBe(0)
  })
})
