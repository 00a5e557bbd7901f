import { describe, expect, it, vi } from 'vitest'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import type { ConsumerChange } from './index.ts'

/** Each attempt advances the service's clock. */
const PATIENCE = { interval: 5, timeout: 10_000 }

/** A consumer of one customer that has been idle for ten minutes. */
async function anIdleConsumer() {
  const store = memoryMirror()
  const looks = vi.spyOn(store, 'listConsumers')
  const world = await manyCustomers(1, { store })
  const end = new AbortController()
  const titles: unknown[] = []
  const apply = (changes: readonly ConsumerChange[]) => {
    for (const change of changes) if (change.kind === 'content') titles.push(change.note.title)
  }
  await world.mirrors.add('customer-0')
  await world.mirrors.work({ budgetMs: 60_000 })
  const consuming = world.mirrors.of('customer-0').consume({ name: 'index', apply, signal: end.signal })
  await world.service.clock.advance('10m')
  return {
    world,
    looks,
    titles,
    async [Symbol.asyncDispose]() {
      end.abort()
      await consuming
      await world[Symbol.asyncDispose]()
    },
  }
}

describe('an idle consumer of one of many integrations', () => {
  it('polls the store every 30 s, and finds changes of another process', async () => {
    await using stage = await anIdleConsumer()
    const { world, looks, titles } = stage
    // After 1, 3, 7, 15 and 31 s, and then every 30 s.
    expect(looks.mock.calls.length).toBeLessThan(30)
    world.customers[0]?.write('of another process')
    await world.another({}).work({ budgetMs: 60_000 })
    await vi.waitFor(async () => {
      await world.service.clock.advance('1s')
      expect(titles).toContain('of another process')
    }, PATIENCE)
    // After a change, the times are short again.
    const found = world.service.clock.now()
    const before = looks.mock.calls.length
    await vi.waitFor(async () => {
      await world.service.clock.advance('1s')
      expect(looks.mock.calls.length).toBeGreaterThan(before)
    }, PATIENCE)
    expect(world.service.clock.now() - found).toBeLessThan(30_000)
  })

  it('gets changes of its own process immediately', async () => {
    await using stage = await anIdleConsumer()
    const { world, titles } = stage
    world.customers[0]?.write('of this process')
    await world.mirrors.work({ budgetMs: 60_000 })
    await vi.waitFor(() => expect(titles).toContain('of this process'), PATIENCE)
  })
})
