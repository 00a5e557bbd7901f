import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { monotonicNow, systemClock } from './time.ts'

afterEach(() => void vi.useRealTimers())

describe('systemClock', () => {
  it('returns milliseconds since the Unix epoch', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] })
    expect(systemClock.now()).toBe(Date.UTC(2026, 0, 1))
  })

  it('sleeps for the given time', async () => {
    const began = performance.now()
    await systemClock.sleep(50)
    // A timer of Node.js may fire up to a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(49)
  })

  it('rejects at once if the signal is already aborted', async () => {
    const reason = new Error('shut down')
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('rejects with the reason of the signal when it is aborted', async () => {
    const shutdown = new AbortController()
    const reason = new Error('shut down')
    const asleep = systemClock.sleep(60_000, shutdown.signal)
    shutdown.abort(reason)
    await expect(asleep).rejects.toBe(reason)
  })

  it('removes its listeners from the signal', async () => {
    const { signal } = new AbortController()
    await Promise.all([systemClock.sleep(1, signal), systemClock.sleep(2, signal)])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('monotonicNow', () => {
  it('does not jump when the time of day is set', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const before = monotonicNow(systemClock)
    vi.setSystemTime(0)
    expect(systemClock.now()).toBe(0)
    const after = monotonicNow(systemClock)
    expect(after).toBeGreaterThanOrEqual(before)
    expect(after - before).toBeLessThan(24 * 3_600_000)
  })

  it('returns the time of day of a clock that has no monotonic time', () => {
    expect(monotonicNow({ now: () => 1_700_000_000_000, sleep: systemClock.sleep })).toBe(1_700_000_000_000)
  })
})
