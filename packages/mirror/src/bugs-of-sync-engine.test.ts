import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { manyCustomers, workFor } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, type MirroredService, mirroredService, truthOf } from '../fixtures/mirrored-service.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { createMirror, type Mirror, type MirrorStore } from './index.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

// Bugs of stripe/sync-engine (https://github.com/stripe/sync-engine) and of stripe/sync-engine-fork, in which its successor is developed. Each
// group names the bug; its tests show the behavior of this mirror.

describe('sync-engine 171: a deletion event arrived, and the copy kept the object', () => {
  it('does not show the note after the event is answered, and erases it', async () => {
    await using world = await mirroredService({ notes: 3 })
    const { service, mirror } = world
    await service.connect((secret) => mirror.receiver({ secret }).fetch)
    await mirror.sync()
    const [note] = service.owner.notes()
    const noteId = note?.note_id ?? ''
    note?.delete()
    await service.settled()
    expect(await mirror.get(noteId)).toBeUndefined()
    expect((await copyIn(mirror)).map(({ note }) => note.note_id)).not.toContain(noteId)
    await mirror.settle()
    expect((await mirror.status()).notes).toMatchObject({ live: 2, hidden: 0, gone: 1 })
  })
})

describe('sync-engine 265: the deletion event was missed, and a sync succeeded without an effect', () => {
  it('removes the note with the next full listing', async () => {
    await using world = await mirroredService({ notes: 3 })
    await world.mirror.sync()
    const [note] = world.service.owner.notes()
    note?.delete()
    await world.mirror.sync({ fullListing: 'now' })
    expect(await world.mirror.get(note?.note_id ?? '')).toBeUndefined()
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })
})

describe('sync-engine-fork 368: objects whose deletion no event announced were never removed', () => {
  it('finds them with the daily full listing, and removes none of another account', async () => {
    await using world = await manyCustomers(2)
    const [first, second] = world.customers
    const deleted = first?.write('deleted')
    first?.write('kept')
    second?.write('kept')
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await workFor(world, 1)
    deleted?.delete()
    await workFor(world, 26 * 60)
    expect(await world.titles('customer-0')).toEqual(['kept'])
    expect(await world.titles('customer-1')).toEqual(['kept'])
  })
})

describe('sync-engine 111: 40 objects were missing after downtime, and a sync reported 0', () => {
  it('finds what was created, edited, deleted and moved during the downtime', async () => {
    await using world = await mirroredService({ notes: 20 })
    const { service, mirror, client } = world
    const receiver = await receiverThatCanStop(service, mirror)
    await mirror.sync()
    receiver.isDown = true
    for (let index = 0; index < 40; index += 1) service.owner.record({ title: `missed ${index}` }).end()
    const [deleted, left, edited] = service.owner.notes()
    deleted?.delete()
    left?.moveTo(service.owner.createChannel('elsewhere'))
    edited?.edit({ title: 'edited' })
    // Longer than the service retries events, and than the endpoint stays active.
    await service.clock.advance('168h')
    const { settled } = await mirror.sync()
    expect(settled).toBeGreaterThanOrEqual(41)
    expect(await copyIn(mirror)).toEqual(await truthOf(client))
    expect((await mirror.status()).notes).toMatchObject({ live: 58 })
  })
})

describe('sync-engine-fork 189: a run that failed was recorded as complete, and nothing was synced for a week', () => {
  it('continues a failed listing in the next sync', async () => {
    const faults = [{ request: 'GET /v1/notes', calls: [2], fault: { kind: 'status', status: 429 } } as const]
    await using world = await mirroredService({ notes: 250, faults }, {}, { maxRetries: 0 })
    await expect(world.mirror.work()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await world.mirror.status()).toMatchObject({ isBackfilled: false, polledAt: null })
    await world.service.clock.advance('1m')
    expect(await world.mirror.work()).toMatchObject({ listed: true })
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })
})

describe.each<[string, () => MirrorStore]>([
  ['memory', () => memoryMirror()],
  ['SQLite', () => sqliteMirror(':memory:')],
])(
  'sync-engine-fork 211: objects of two accounts in one database had one row and one cursor: %s',
  (_name, openStore) => {
    it('isolates notes with the same id in two integrations, with a watermark for each', async () => {
      const store = openStore()
      await using one = await accountIn(store, 'one')
      await using other = await accountIn(store, 'other')
      await one.mirror.sync()
      await other.mirror.sync()
      const ids = one.service.owner.notes().map(({ note_id }) => note_id)
      expect(other.service.owner.notes().map(({ note_id }) => note_id)).toEqual(ids)

      const [edited, deleted] = one.service.owner.notes()
      edited?.edit({ title: 'Quokka' })
      deleted?.delete()
      await one.service.clock.advance('1h')
      await one.mirror.sync({ fullListing: 'now' })
      expect((await one.mirror.get(ids[0] ?? ''))?.note.title).toBe('Quokka')
      expect(await one.mirror.get(ids[1] ?? '')).toBeUndefined()

      expect((await other.mirror.get(ids[0] ?? ''))?.note.title).not.toBe('Quokka')
      expect(await copyIn(other.mirror)).toEqual(await truthOf(other.client))
      expect(await other.mirror.search('quokka')).toEqual([])
      const watermarks = await Promise.all([one, other].map(async ({ mirror }) => (await mirror.status()).watermark))
      expect(watermarks[0]).not.toEqual(watermarks[1])
      if ('close' in store && typeof store.close === 'function') store.close()
    })
  },
)

/** A receiver of the mirror's events that answers 503 while it is down. */
async function receiverThatCanStop(service: NotesService, mirror: Mirror): Promise<{ isDown: boolean }> {
  const state = { isDown: false }
  await service.connect((secret) => {
    const receiver = mirror.receiver({ secret })
    return async (request) => (state.isDown ? new Response(null, { status: 503 }) : await receiver.fetch(request))
  })
  return state
}

/** An account with its own service. All services have the same seed, and therefore the same note ids. */
async function accountIn(store: MirrorStore, integration: string): Promise<Omit<MirroredService, 'asked' | 'another'>> {
  const service = await createNotesService({ notes: 3, seed: 7 })
  const { baseUrl, apiKey, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch: service.fetch })
  const mirror = createMirror({ client, store: onClock(store, clock), integration })
  return { service, client, mirror, [Symbol.asyncDispose]: () => service.close() }
}
