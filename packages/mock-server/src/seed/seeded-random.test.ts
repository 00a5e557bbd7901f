import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SeededRandom } from './seeded-random.ts'

describe('seeded random numbers', () => {
  it('are the same for the same seed, on every runtime and in every version', () => {
    expect(new SeededRandom('1').text(24)).toBe('HLoOJpYEkOqFTOECb3aah2Yp')
  })

  it('differ for another seed', () => {
    expect(new SeededRandom('1').text(24)).not.toBe(new SeededRandom('2').text(24))
  })

  it('of a fork depend only on its label, not on earlier draws', () => {
    const drawn = new SeededRandom('1')
    drawn.fraction()
    expect(drawn.fork('notes').text(8)).toBe(new SeededRandom('1').fork('notes').text(8))
    expect(drawn.fork('notes').text(8)).not.toBe(drawn.fork('keys').text(8))
  })

  it('stay within their bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: -50, max: 50 }), fc.nat(50), (seed, least, span) => {
        const drawn = new SeededRandom(seed).integer(least, least + span)
        expect(drawn).toBeGreaterThanOrEqual(least)
        expect(drawn).toBeLessThanOrEqual(least + span)
      }),
    )
  })

  it('are true about as often as their rate', () => {
    const random = new SeededRandom('rates')
    const hits = Array.from({ length: 10_000 }, () => random.chance(0.3)).filter(Boolean).length
    expect(hits).toBeGreaterThan(2800)
    expect(hits).toBeLessThan(3200)
  })

  it('are never true at rate 0, and always at rate 1', () => {
    const random = new SeededRandom('bounds')
    expect(Array.from({ length: 1000 }, () => random.chance(0))).not.toContain(true)
    expect(Array.from({ length: 1000 }, () => random.chance(1))).not.toContain(false)
  })
})
