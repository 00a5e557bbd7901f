import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Agenda } from './agenda.ts'

describe('an agenda', () => {
  it('keeps appointments by time, then by rank, without the cancelled ones', () => {
    const mostly = fc.integer({ min: 0, max: 4 }).map((fifth) => fifth > 0)
    const plan = fc.record({ at: fc.integer({ min: 0, max: 20 }), cancelled: fc.oneof(fc.boolean(), mostly) })
    const plans = fc.array(plan, { maxLength: 400, size: 'max' })
    fc.assert(
      fc.property(plans, (planned) => {
        const agenda = new Agenda()
        const kept: number[] = []
        const appointments = planned.map(({ at }, order) =>
          agenda.add({ purpose: 'work', at, rank: order, act: () => kept.push(order) }),
        )
        for (const [order, appointment] of appointments.entries()) {
          if (planned[order]?.cancelled) agenda.cancel(appointment)
        }
        const expected = planned
          .map(({ at, cancelled }, order) => ({ at, cancelled, order }))
          .filter(({ cancelled }) => !cancelled)
          .sort((one, two) => one.at - two.at || one.order - two.order)
          .map(({ order }) => order)

        expect(agenda.has('work')).toBe(expected.length > 0)
        while (agenda.nextAt() !== undefined) agenda.keepNext()
        expect(kept).toEqual(expected)
        expect(agenda.has('work')).toBe(false)
      }),
    )
  })

  it('finds the next appointment of a purpose', () => {
    const agenda = new Agenda()
    agenda.add({ purpose: 'work', at: 1, rank: 1, act: () => undefined })
    const cancelled = agenda.add({ purpose: 'sleep', at: 2, rank: 2, act: () => undefined })
    agenda.add({ purpose: 'sleep', at: 3, rank: 3, act: () => undefined })
    agenda.cancel(cancelled)
    expect([agenda.nextAt(), agenda.nextAt('sleep'), agenda.has('sleep')]).toEqual([1, 3, true])
  })

  it('ignores a cancellation of an appointment that was kept', () => {
    const agenda = new Agenda()
    const kept = agenda.add({ purpose: 'work', at: 1, rank: 1, act: () => undefined })
    agenda.add({ purpose: 'work', at: 2, rank: 2, act: () => undefined })
    agenda.keepNext()
    agenda.cancel(kept)
    expect(agenda.nextAt()).toBe(2)
  })
})
