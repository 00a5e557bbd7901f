import { describe, expect, it, vi } from 'vitest'
import { MockServerError } from '../errors/mock-server-error.ts'
import { CLOCK_START } from './service-clock.ts'
import { Timeline } from './timeline.ts'

const machineMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('a virtual clock', () => {
  it('starts at the beginning of 2026 and stands still', async () => {
    const timeline = new Timeline('virtual')
    await machineMs(5)
    expect(new Date(timeline.now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('runs due work while it advances, in order of time, each at its own time', async () => {
    const timeline = new Timeline('virtual')
    const done: [string, number][] = []
    const at = (name: string) => () => done.push([name, timeline.now() - CLOCK_START])
    timeline.schedule(60_000, at('later'))
    timeline.schedule(30_000, at('first of two'))
    timeline.schedule(30_000, at('second of two'))
    timeline.schedule(60_001, at('too late'))
    await timeline.advance('1m')
    expect(done).toEqual([
      ['first of two', 30_000],
      ['second of two', 30_000],
      ['later', 60_000],
    ])
    expect(timeline.now()).toBe(CLOCK_START + 60_000)
  })

  it('also runs due work that earlier work schedules', async () => {
    const timeline = new Timeline('virtual')
    const times: number[] = []
    const again = () => {
      times.push(timeline.now() - CLOCK_START)
      timeline.schedule(400, again)
    }
    timeline.schedule(400, again)
    await timeline.advance('1s')
    expect(times).toEqual([400, 800])
  })

  it('runs work that is due now without an advance, in a later turn', async () => {
    const timeline = new Timeline('virtual')
    const act = vi.fn()
    timeline.schedule(0, act)
    expect(act).not.toHaveBeenCalled()
    await expect.poll(() => act.mock.calls.length).toBe(1)
  })

  it('lets a caller that slept continue before it runs other work due at the same time', async () => {
    const timeline = new Timeline('virtual')
    const done: string[] = []
    void timeline.sleep(1000).then(() => done.push('caller'))
    timeline.schedule(1000, () => done.push('service'))
    await timeline.advance('1s')
    expect(done).toEqual(['caller', 'service'])
  })

  it('rounds fractions of milliseconds up, in sleeps and advances', async () => {
    const timeline = new Timeline('virtual')
    const woken: number[] = []
    void timeline.sleep(0.4).then(() => woken.push(timeline.now()))
    await timeline.advance(1.5)
    expect([...woken, timeline.now()]).toEqual([CLOCK_START + 1, CLOCK_START + 2])
  })

  it('advances twice as far if it is advanced twice at the same time', async () => {
    const timeline = new Timeline('virtual')
    await Promise.all([timeline.advance('1m'), timeline.advance('1m')])
    expect(timeline.now()).toBe(CLOCK_START + 120_000)
  })

  it('is settled when no work is left, even if a caller still sleeps', async () => {
    const timeline = new Timeline('virtual')
    const slept = vi.fn()
    void timeline.sleep(8000).then(slept)
    timeline.schedule(5000, () => undefined)
    await timeline.settled()
    expect(timeline.now()).toBe(CLOCK_START + 5000)
    expect(slept).not.toHaveBeenCalled()
  })

  it('rejects an aborted sleep with the reason of its signal', async () => {
    const timeline = new Timeline('virtual')
    const early = new AbortController()
    const asleep = timeline.sleep(1000, early.signal)
    early.abort('no longer needed')
    await expect(asleep).rejects.toBe('no longer needed')
    await expect(timeline.sleep(1000, early.signal)).rejects.toBe('no longer needed')
  })
})

describe('an attempt in flight', { concurrent: true }, () => {
  it('stops virtual time', async () => {
    const timeline = new Timeline('virtual')
    let endedAt = 0
    timeline.schedule(100, () => undefined)
    void timeline.trackInFlight(
      machineMs(20).then(() => {
        endedAt = timeline.now()
      }),
    )
    await timeline.settled()
    expect(endedAt).toBe(CLOCK_START)
    expect(timeline.now()).toBe(CLOCK_START + 100)
  })

  it('takes no longer than under real time if its handler sleeps on the same clock', async () => {
    const timeline = new Timeline('virtual')
    const beganAt = performance.now()
    for (let attempt = 0; attempt < 20; attempt += 1) {
      void timeline.trackInFlight(timeline.sleep(50))
      await timeline.settled()
    }
    expect(timeline.now()).toBe(CLOCK_START + 20 * 50)
    // Each attempt would take a second if it counted as hanging.
    expect(performance.now() - beganAt).toBeLessThan(19_000)
  })

  it('stops virtual time for about a second when it hangs', async () => {
    const timeline = new Timeline('virtual')
    const { promise, resolve } = Promise.withResolvers<void>()
    timeline.schedule(10_000, resolve)
    const beganAt = performance.now()
    void timeline.trackInFlight(promise)
    await timeline.settled()
    expect(timeline.now()).toBe(CLOCK_START + 10_000)
    expect(performance.now() - beganAt).toBeGreaterThan(900)
  })

  it('stops virtual time for longer than a second while something happens', async () => {
    const timeline = new Timeline('virtual')
    const { promise, resolve } = Promise.withResolvers<void>()
    timeline.schedule(10_000, resolve)
    const beganAt = performance.now()
    void machineMs(700).then(() => timeline.recordActivity())
    void timeline.trackInFlight(promise)
    await timeline.settled()
    expect(performance.now() - beganAt).toBeGreaterThan(1600)
  })

  it('stops virtual time even if the machine pauses several times', async () => {
    const timeline = new Timeline('virtual')
    let endedAt = 0
    timeline.schedule(10_000, () => undefined)
    const answer = async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        await new Promise(setImmediate)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      }
      endedAt = timeline.now()
    }
    void timeline.trackInFlight(answer())
    await timeline.settled()
    expect(endedAt).toBe(CLOCK_START)
  })

  it('does not delay an advance that ends before the attempt does', async () => {
    const timeline = new Timeline('virtual')
    const { promise, resolve } = Promise.withResolvers<void>()
    timeline.schedule(10_000, resolve)
    void timeline.trackInFlight(promise)
    await timeline.advance('5s')
    expect(timeline.now()).toBe(CLOCK_START + 5000)
    await timeline.settled()
  })
})

describe('a real clock', () => {
  it('follows the machine', async () => {
    const timeline = new Timeline('real')
    expect(Math.abs(timeline.now() - Date.now())).toBeLessThan(60_000)
    timeline.close()
  })

  it('rejects an advance, and says what to do', async () => {
    const timeline = new Timeline('real')
    await expect(timeline.advance('1s')).rejects.toThrow(MockServerError)
    await expect(timeline.advance('1s')).rejects.toThrow("clock: 'virtual'")
  })

  it('runs due work by itself, and settles after it', async () => {
    const timeline = new Timeline('real')
    const done: string[] = []
    timeline.schedule(30, () => done.push('later'))
    timeline.schedule(5, () => done.push('sooner'))
    await timeline.settled()
    expect(done).toEqual(['sooner', 'later'])
  })

  it('that was virtual runs its timers after their remaining time', async () => {
    const timeline = new Timeline('virtual')
    const act = vi.fn()
    timeline.schedule(20, act)
    timeline.switchToReal()
    expect(act).not.toHaveBeenCalled()
    await timeline.settled()
    expect(act).toHaveBeenCalledOnce()
  })
})

describe('a closed clock', () => {
  it.each(['virtual', 'real'] as const)('runs no more work, and ends every wait (%s)', async (mode) => {
    const timeline = new Timeline(mode)
    const act = vi.fn()
    timeline.schedule(10, act)
    void timeline.trackInFlight(Promise.withResolvers<void>().promise)
    const waiting = [timeline.settled(), timeline.until(Promise.withResolvers<void>().promise)]
    timeline.close()
    timeline.schedule(0, act)
    await Promise.all([...waiting, timeline.settled()])
    await machineMs(20)
    expect(act).not.toHaveBeenCalled()
  })
})
