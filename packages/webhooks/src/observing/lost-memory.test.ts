import { describe, expect, it, vi } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import { LostMemory } from './lost-memory.ts'

const SECOND = 1_000

/** Events at the given seconds, each with the store that the function returns. @returns at which of them it was told */
function toldAt(seconds: readonly number[], storeOf: (index: number) => ReceiverStore, integration = 'default') {
  const lostMemory = new LostMemory()
  return seconds.filter((second, index) => lostMemory.isFound(storeOf(index), integration, second * SECOND))
}

const seconds = (count: number) => Array.from({ length: count }, (_, second) => second)

describe('a store in memory for each delivery', () => {
  it('is told once, after nine seconds with such deliveries', () => {
    expect(toldAt(seconds(50), () => memoryStore())).toEqual([9])
  })

  it('is told at the third delivery, however rare they are', () => {
    expect(
      toldAt(
        seconds(20).map((hour) => hour * 3_600),
        () => memoryStore(),
      ),
    ).toEqual([2 * 3_600])
  })

  it('is not told of a test suite that makes many receivers within seconds', () => {
    expect(
      toldAt(
        seconds(1_000).map((each) => Math.floor(each / 200)),
        () => memoryStore(),
      ),
    ).toEqual([])
  })

  it('is not told if a store gets a second delivery: it is not made for each', () => {
    expect(toldAt(seconds(100), (index) => stores[Math.floor(index / 2)] ?? memoryStore())).toEqual([])
  })
  const stores = seconds(50).map(() => memoryStore())

  it('is not told of one store that receivers share', () => {
    const shared = memoryStore()
    expect(toldAt(seconds(100), () => shared)).toEqual([])
  })

  it('is not told of other stores', () => {
    expect(toldAt(seconds(100), () => ({ ...memoryStore() }))).toEqual([])
  })

  it('is not told of receivers for integrations of their own, each of which has had one delivery', () => {
    const lostMemory = new LostMemory()
    for (const second of seconds(5_000))
      expect(lostMemory.isFound(memoryStore(), `customer-${second}`, second * SECOND)).toBe(false)
  })

  it('is a warning in the log of a receiver, once in a process', async () => {
    const logger = recordingLogger()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const _second of seconds(30)) {
      vi.advanceTimersByTime(SECOND)
      const receiver = createReceiver({ secret: TEST_SECRET, on: { 'note.updated': () => undefined }, logger })
      expect((await receiver.process(anEvent({ kind: 'note.updated' }))).status).toBe('applied')
    }
    vi.useRealTimers()
    expect(logger.lines).toEqual([expect.stringMatching(/^warn .*create the receiver once/)])
  })
})
