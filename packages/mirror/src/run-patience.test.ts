import { describe, expect, it } from 'vitest'
import { keptContent } from '../fixtures/kept-content.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { withMembers } from '../fixtures/with-members.ts'
import type { MirrorStore } from './index.ts'
import type { CopyState } from './integrations/progress.ts'

/** A store that says that a note is due, as one does that has other work to do, and returns none. */
function storeWithOtherWork() {
  const memory = memoryMirror()
  let isBusy = false
  let reads = 0
  const whileBusy = (copy: CopyState) => (isBusy ? { ...copy, nextDueAt: 0 } : copy)
  const take: MirrorStore['integrations']['take'] = async (request) => {
    const taken = await memory.integrations.take(request)
    return taken && { ...taken, copy: whileBusy(taken.copy) }
  }
  const store: MirrorStore = {
    ...memory,
    integrations: withMembers(memory.integrations, { take }),
    readProgress: async (integration) => whileBusy(await memory.readProgress(integration)),
    async readDue(integration, request) {
      const due = await memory.readDue(integration, isBusy ? { ...request, limit: 0 } : request)
      reads += 1
      return isBusy ? { ...due, nextDueAt: request.dueBy } : due
    },
  }
  return {
    store,
    reads: () => reads,
    begin: () => {
      isBusy = true
    },
  }
}

describe('a running mirror whose store has other work to do', () => {
  it('asks it every second', async () => {
    const { store, begin, reads } = storeWithOtherWork()
    await using world = await mirroredService({ notes: 3 }, { store })
    await world.mirror.sync()
    begin()
    const before = reads()
    await whileRunning(world.mirror, () => world.service.clock.advance('10s'))
    expect(reads() - before).toBeGreaterThan(5)
    expect(reads() - before).toBeLessThan(20)
  })
})

describe('a running mirror while the service requests a pause', () => {
  async function rateLimited(retryAfter: number, store = memoryMirror()) {
    const world = await mirroredService({ notes: 3 }, { store }, { maxRetries: 0 })
    await world.mirror.sync()
    await world.service.clock.advance('6m')
    world.service.faults.inject({ request: 'GET /v1/**', fault: { kind: 'status', status: 429, retryAfter } })
    return world
  }

  it.each([
    [1_200, '19m', '2m'],
    [7_200, '59m', '2m'],
  ] as const)('of %i s sends no request for that time, at most an hour', async (retryAfter, quiet, rest) => {
    await using world = await rateLimited(retryAfter)
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1s')
      const before = world.asked().length
      await world.service.clock.advance(quiet)
      expect(world.asked().length).toBe(before)
      await world.service.clock.advance(rest)
      expect(world.asked().length).toBe(before + 1)
    })
  })

  it('shorter than its own backoff uses its own backoff', async () => {
    await using world = await rateLimited(1)
    const before = world.asked().length
    await whileRunning(world.mirror, () => world.service.clock.advance('30m'))
    expect(world.asked().length - before).toBeLessThan(30)
  })

  it('erases a note that an event hid within an hour, without a request', async () => {
    const store = memoryMirror()
    await using world = await rateLimited(7_200, store)
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    const [note] = world.service.owner.notes()
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('10m')
      note?.delete()
      await world.service.clock.advance('66m')
      expect(await keptContent(store)).toBe(2)
    })
  })
})
