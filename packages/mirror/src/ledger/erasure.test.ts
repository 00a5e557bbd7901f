import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { reads } from '../../fixtures/store-reads.ts'

describe('a sync that takes hours', () => {
  async function slowService() {
    const store = memoryMirror()
    const world = await mirroredService({ notes: 1 }, { store, concurrency: 1 }, { maxRetries: 0, timeoutMs: 600_000 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await world.mirror.sync()
    const [moved] = world.service.owner.notes()
    const noteId = moved?.note_id ?? ''
    moved?.moveTo(world.service.owner.createChannel('elsewhere'))
    world.service.faults.inject({ request: `GET /v1/notes/${noteId}`, fault: { kind: 'status', status: 500 } })
    world.service.faults.inject({ request: 'GET /v1/notes/**', fault: { kind: 'latency', by: '3m' } })
    for (let count = 0; count < 40; count += 1) world.service.owner.record().end()
    await world.service.settled()
    return { ...world, isErased: async () => (await reads(store).getNote('default', noteId))?.note === null }
  }

  it.each(['settle', 'sync'] as const)(
    'erases notes that an event hid an hour ago before it ends (%s)',
    async (act) => {
      await using world = await slowService()
      const begin = world.service.clock.now()
      expect(await world.isErased()).toBe(false)
      await world.mirror[act]()
      expect(world.service.clock.now() - begin).toBeGreaterThan(90 * 60_000)
      expect(await world.isErased()).toBe(true)
    },
  )
})
