import { systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import type { TakenIntegration } from '../integrations/integration-store.ts'
import { NO_PROGRESS } from '../integrations/progress.ts'
import { newIntegration } from '../rules/schedule-rule.ts'
import { LocalWork } from './local-work.ts'

const COPY = { sequence: 0, progress: NO_PROGRESS, progressVersion: 0, heardAt: null, position: 0 }
const taken: TakenIntegration = {
  record: newIntegration('acme', 'first', 0),
  copy: { ...COPY, nextDueAt: null, hiddenSince: null },
}
const never = new AbortController().signal

const noRelease = () => Promise.reject(new Error('nothing was handed over'))

/** Waits until the integration is handed over. */
async function waitFor(work: LocalWork): Promise<TakenIntegration> {
  return await work.next('acme', noRelease, async (handedOver) => {
    for (;;) {
      const found = handedOver()
      if (found !== undefined) return found
      await work.nextChange(60_000, systemClock, never)
    }
  })
}

describe('the work of a process', () => {
  it('counts as running until the last part of it has ended', async () => {
    const work = new LocalWork()
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = [work.during('acme', () => one.promise), work.during('acme', () => two.promise)]
    expect([work.isRunning('acme'), work.isRunning('other')]).toEqual([true, false])
    one.resolve()
    await running[0]
    expect(work.isRunning('acme')).toBe(true)
    two.reject(new Error('failed'))
    await expect(running[1]).rejects.toThrow('failed')
    expect(work.isRunning('acme')).toBe(false)
  })

  it('is handed over to the calls that wait, one after the other', async () => {
    const work = new LocalWork()
    expect(work.handOver(taken)).toBe(false)
    const calls = [waitFor(work), waitFor(work)]
    expect(work.isAwaited('acme')).toBe(true)
    expect(work.handOver(taken)).toBe(true)
    expect(await calls[0]).toBe(taken)
    expect(work.isAwaited('acme')).toBe(true)
    expect(work.handOver(taken)).toBe(true)
    expect(await calls[1]).toBe(taken)
    expect([work.isAwaited('acme'), work.handOver(taken)]).toEqual([false, false])
  })

  it('is no longer awaited by a call that has failed', async () => {
    const work = new LocalWork()
    await expect(work.next('acme', noRelease, () => Promise.reject(new Error('gave up')))).rejects.toThrow('gave up')
    expect(work.isAwaited('acme')).toBe(false)
  })

  it('is released if the call that it was handed to fails', async () => {
    const work = new LocalWork()
    const released: TakenIntegration[] = []
    const release = async (one: TakenIntegration) => void released.push(one)
    const stop = new AbortController()
    const call = work.next('acme', release, () => work.nextChange(60_000, systemClock, stop.signal))
    stop.abort(new Error('enough'))
    expect(work.handOver(taken)).toBe(true)
    await expect(call).rejects.toThrow('enough')
    expect(released).toEqual([taken])
  })

  it('wakes the calls that wait when it ends', async () => {
    const work = new LocalWork()
    const end = Promise.withResolvers<void>()
    const running = work.during('acme', () => end.promise)
    const waiting = work.nextChange(60_000, systemClock, never)
    end.resolve()
    await running
    await waiting
  })

  it('leaves a wait when its signal fires, with the reason', async () => {
    const stop = new AbortController()
    const waiting = new LocalWork().nextChange(60_000, systemClock, stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})
