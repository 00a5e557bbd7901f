import type { NotesServiceOptions } from '@notewire/mock-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryMirror } from '../../../fixtures/memory-mirror/memory-mirror.ts'
import { type MirroredService, mirroredService } from '../../../fixtures/mirrored-service.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import type { MirrorStore, RemovalsHeldNotice } from '../../index.ts'
import { sqliteMirror } from '../sqlite/index.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const stores: readonly (readonly [string, () => Promise<MirrorStore>])[] = [
  ['memory', async () => memoryMirror()],
  ['SQLite', async () => sqliteMirror(':memory:')],
  ['PostgreSQL', async () => postgresMirror(await databases.migratedPool())],
]

/** A service with a mirror, a channel that the key does not see, and the notices of held removals so far. */
interface Copied extends MirroredService {
  readonly held: readonly RemovalsHeldNotice[]
  /** Moves a note out of the key's sight, without an event or a tombstone. */
  moveOut(note: number): void
  /** Receives events from now on, and drops them while it is deaf. */
  listen(): Promise<{ isDeaf: boolean }>
  fullListing(): Promise<void>
}

async function copied(store: MirrorStore, options: NotesServiceOptions): Promise<Copied> {
  const held: RemovalsHeldNotice[] = []
  const world = await mirroredService(options, { store, hooks: { onRemovalsHeld: (notice) => held.push(notice) } })
  await world.mirror.sync()
  const elsewhere = world.service.owner.createChannel('elsewhere')
  const notes = world.service.owner.notes()
  return {
    ...world,
    held,
    moveOut: (note) => notes[note]?.moveTo(elsewhere),
    async listen() {
      const ear = { isDeaf: false }
      await world.service.connect((secret) => {
        const { fetch } = world.mirror.receiver({ secret })
        return async (request) => (ear.isDeaf ? new Response(null, { status: 204 }) : await fetch(request))
      })
      return ear
    },
    async fullListing() {
      await world.mirror.sync({ fullListing: 'now' })
    },
    [Symbol.asyncDispose]: () => world.service.close(),
  }
}

describe.each(stores)('a full listing of a mirror in %s', (_where, open) => {
  it.each([1, 2, 10])(
    'holds back the removal of all notes of a copy of %i if nothing proves that they are gone',
    async (notes) => {
      await using world = await copied(await open(), { notes })
      for (let note = 0; note < notes; note += 1) world.moveOut(note)
      await world.fullListing()
      const { held, notes: counts, lastFullListing } = await world.mirror.status()
      expect(counts).toMatchObject({ live: 0, hidden: notes, gone: 0 })
      expect(held).toEqual([{ fullListingId: lastFullListing?.fullListingId, notes }])
      expect(world.held).toEqual([
        { integration: 'default', fullListingId: lastFullListing?.fullListingId, missing: notes, live: notes },
      ])
      expect(await world.mirror.acceptRemovals(lastFullListing?.fullListingId ?? '')).toBe(notes)
      expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 0, gone: notes })
    },
  )

  it('continues to hold them back in later full listings, and shows those that are found again', async () => {
    await using world = await copied(await open(), { notes: 3 })
    const handles = world.service.owner.notes()
    for (const note of [0, 1, 2]) world.moveOut(note)
    await world.fullListing()
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 3, gone: 0 })
    handles[1]?.moveTo('personal')
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 1, hidden: 2, gone: 0 })
  })

  it('holds back the removal of all notes even if the same full listing found new ones', async () => {
    await using world = await copied(await open(), { notes: 3 })
    const { owner } = world.service
    const channel = owner.createChannel('team')
    const others = [owner.record({ channel }).end(), owner.record({ channel }).end()]
    await world.service.clock.advance('1h')
    await world.mirror.sync()
    for (const note of others) note.moveTo('personal')
    for (const note of [0, 1, 2]) world.moveOut(note)
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 2, hidden: 3, gone: 0 })
  })

  it('removes a few of many notes after a read of each', async () => {
    await using world = await copied(await open(), { notes: 3 })
    for (const note of [0, 1]) world.moveOut(note)
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 1, hidden: 0, gone: 2 })
    expect(world.held).toEqual([])
  })

  it('removes all notes if a tombstone proves each removal', async () => {
    await using world = await copied(await open(), { notes: 3 })
    for (const note of world.service.owner.notes()) note.delete()
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 0, gone: 3 })
    expect(world.held).toEqual([])
  })

  it('removes all notes if a deletion event proves each removal', async () => {
    await using world = await copied(await open(), { notes: 3 })
    await world.listen()
    for (const note of [0, 1, 2]) world.moveOut(note)
    await world.service.settled()
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 0, gone: 3 })
    expect(world.held).toEqual([])
  })

  it('holds back the one of two removals that no tombstone proves', async () => {
    await using world = await copied(await open(), { notes: 2 })
    world.service.owner.notes()[0]?.delete()
    world.moveOut(1)
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 1, gone: 1 })
    expect(world.held).toMatchObject([{ missing: 1 }])
  })

  it('holds back the one of two removals that no event proves', async () => {
    await using world = await copied(await open(), { notes: 2 })
    const ear = await world.listen()
    world.moveOut(0)
    await world.service.settled()
    ear.isDeaf = true
    world.moveOut(1)
    await world.service.settled()
    await world.fullListing()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 1, gone: 1 })
    expect(world.held).toMatchObject([{ missing: 1 }])
  })

  it('removes a note whose removal it holds back once a deletion event proves it', async () => {
    await using world = await copied(await open(), { notes: 2 })
    const [first] = world.service.owner.notes()
    for (const note of [0, 1]) world.moveOut(note)
    await world.fullListing()
    await world.listen()
    first?.moveTo('personal')
    world.moveOut(0)
    await world.service.settled()
    await world.mirror.settle()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 1, gone: 1 })
  })
})
