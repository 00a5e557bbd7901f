import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TimerQueue } from './timer-queue.ts'

describe('a timer queue', () => {
  it('runs timers in order of time, then of rank, without the cancelled ones', () => {
    const mostlyTrue = fc.integer({ min: 0, max: 4 }).map((number) => number > 0)
    const plan = fc.record({ at: fc.integer({ min: 0, max: 20 }), cancelled: fc.oneof(fc.boolean(), mostlyTrue) })
    const plans = fc.array(plan, { maxLength: 400, size: 'max' })
    fc.assert(
      fc.property(plans, (planned) => {
        const queue = new TimerQueue()
        const ran: number[] = []
        const timers = planned.map(({ at }, order) =>
          queue.add({ purpose: 'work', at, rank: order, run: () => ran.push(order) }),
        )
        for (const [order, timer] of timers.entries()) {
          if (planned[order]?.cancelled) queue.cancel(timer)
        }
        const expected = planned
          .map(({ at, cancelled }, order) => ({ at, cancelled, order }))
          .filter(({ cancelled }) => !cancelled)
          .sort((one, two) => one.at - two.at || one.order - two.order)
          .map(({ order }) => order)

        expect(queue.has('work')).toBe(expected.length > 0)
        while (queue.nextAt() !== undefined) queue.runNext()
        expect(ran).toEqual(expected)
        expect(queue.has('work')).toBe(false)
      }),
    )
  })

  it('finds the next timer of a purpose', () => {
    const queue = new TimerQueue()
    queue.add({ purpose: 'work', at: 1, rank: 1, run: () => undefined })
    const cancelled = queue.add({ purpose: 'sleep', at: 2, rank: 2, run: () => undefined })
    queue.add({ purpose: 'sleep', at: 3, rank: 3, run: () => undefined })
    queue.cancel(cancelled)
    expect([queue.nextAt(), queue.nextAt('sleep'), queue.has('sleep')]).toEqual([1, 3, true])
  })

  it('ignores the cancellation of a timer that has run', () => {
    const queue = new TimerQueue()
    const done = queue.add({ purpose: 'work', at: 1, rank: 1, run: () => undefined })
    queue.add({ purpose: 'work', at: 2, rank: 2, run: () => undefined })
    queue.runNext()
    queue.cancel(done)
    expect(queue.nextAt()).toBe(2)
  })
})
