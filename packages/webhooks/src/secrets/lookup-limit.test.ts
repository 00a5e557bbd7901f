import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { LookupLimit, MAX_RUNNING, MAX_WAITING } from './lookup-limit.ts'

/** A limit whose places are all taken by lookups that a test ends. */
function setUpFull() {
  const clock = new ManualClock()
  const limit = new LookupLimit(clock)
  const ends: (() => void)[] = []
  for (let count = 0; count < MAX_RUNNING; count += 1) {
    void limit.run('others', () => new Promise<void>((resolve) => ends.push(resolve)))
  }
  const begun: string[] = []
  const refused: string[] = []
  const run = (queue: 'first' | 'others', name: string) => {
    const begin = () => {
      begun.push(name)
      return Promise.resolve('done')
    }
    void limit.run(queue, begin).then((result) => result ?? refused.push(name))
  }
  return { begun, clock, ends, limit, refused, run }
}

describe('lookups beyond 32 at once', () => {
  it('begin in their order when others end, those of known integrations first', async () => {
    const { begun, clock, ends, run } = setUpFull()
    run('others', 'new 1')
    run('others', 'new 2')
    run('first', 'known')
    await clock.advance(1_999)
    expect(begun).toEqual([])
    ends[0]?.()
    await clock.advance(0)
    expect(begun).toEqual(['known', 'new 1', 'new 2'])
    expect(clock.sleeping).toBe(0)
  })

  it('are refused after 2 s, and do not begin later', async () => {
    const { begun, clock, ends, refused, run } = setUpFull()
    run('first', 'known')
    await clock.advance(2_000)
    expect(refused).toEqual(['known'])
    ends[0]?.()
    await clock.advance(10_000)
    expect(begun).toEqual([])
  })

  it('are refused at once if 10,000 wait, and known integrations are not', async () => {
    const { begun, clock, ends, limit, refused, run } = setUpFull()
    for (let count = 0; count < MAX_WAITING; count += 1) void limit.run('others', () => new Promise(() => undefined))
    run('others', 'new')
    run('first', 'known')
    ends[0]?.()
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    expect({ begun, refused }).toEqual({ begun: ['known'], refused: ['new'] })
    expect(clock.sleeping).toBeLessThanOrEqual(MAX_WAITING)
  })

  it('begin when those that hang have run for 8 s, also while they wait', async () => {
    const { begun, clock, run } = setUpFull()
    await clock.advance(7_000)
    run('others', 'waits')
    await clock.advance(1_000)
    run('others', 'comes')
    await clock.advance(0)
    expect(new Set(begun)).toEqual(new Set(['waits', 'comes']))
  })

  it('that throw give their place back', async () => {
    const limit = new LookupLimit(new ManualClock())
    for (let count = 0; count < 2 * MAX_RUNNING; count += 1) {
      await expect(limit.run('others', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    }
  })
})
