import { NotesClient } from '@notewire/client'
import type { NoteHandle } from '@notewire/mock-server'
import type { Note } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { type MirroredService, mirroredService } from '../../fixtures/mirrored-service.ts'
import type { Mirror, MirrorStore } from '../index.ts'

/** The service has no operation that reads one note (open point 8). */
const contract = { noteOperation: 'absent' } as const

const PAGE = 100

/** Moves notes out of the key's sight without an event. */
function moveOut({ service }: MirroredService, count: number, from = 0): readonly NoteHandle[] {
  const elsewhere = service.owner.createChannel('elsewhere')
  const moved = service.owner.notes().slice(from, from + count)
  for (const note of moved) note.moveTo(elsewhere)
  return moved
}

/** A mirror whose requests the test can answer differently, or follow by an act. `page` counts listings of 100 notes. */
function mirrorThat(
  { service, another }: MirroredService,
  store: MirrorStore,
  onPage: (page: number, request: Request) => Response | undefined | Promise<Response | undefined>,
): Mirror {
  let pages = 0
  const client = new NotesClient({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    maxRetries: 0,
    async fetch(request) {
      if (!request.url.includes('limit=100') || request.url.includes('updated_after'))
        return await service.fetch(request)
      pages += 1
      return (await onPage(pages, request)) ?? (await service.fetch(request))
    },
  })
  return another({ client, store, keep: ['note'] })
}

describe('a service without an operation for single notes', () => {
  it('confirms many missing notes by one listing', async () => {
    await using world = await mirroredService({ notes: 1_000, contract }, { keep: ['note'] })
    await world.mirror.sync()
    moveOut(world, 200)
    await world.service.clock.advance('1h')
    const before = world.asked().length
    await world.mirror.sync({ fullListing: 'now' })
    const pages = 800 / PAGE
    // The poll, the full listing, four requests that find out that the service cannot read single notes, and four listings at most: for the first note, for
    // the notes that wait for it, for those that are handed out at the same time, and for all others.
    expect(world.asked().length - before).toBeLessThanOrEqual(1 + pages + 4 + 4 * pages)
    expect((await world.mirror.status()).notes).toMatchObject({ live: 800, hidden: 0, gone: 200 })
  })

  it('is not asked again for single notes once this is known', async () => {
    await using world = await mirroredService({ notes: 300, contract }, { keep: ['note'] })
    await world.mirror.sync()
    moveOut(world, 1)
    await world.mirror.sync({ fullListing: 'now' })
    moveOut(world, 1, 1)
    await world.service.clock.advance('1h')
    const before = world.asked().length
    await world.mirror.sync({ fullListing: 'now' })
    expect(world.asked().slice(before)).toEqual(Array.from({ length: 1 + 3 + 3 }, () => 'GET /v1/notes'))
    expect((await world.mirror.status()).notes).toMatchObject({ live: 298, gone: 2 })
  })

  it('keeps a note that is missing in the first listing and listed in the second', async () => {
    await using world = await mirroredService({ notes: 300, contract })
    const store = memoryMirror()
    await world.another({ store, keep: ['note'] }).sync()
    const empty = () => Response.json({ notes: [], has_more: false, next_cursor: null })
    const mirror = mirrorThat(world, store, (page) => (page === 1 ? empty() : undefined))
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).notes).toMatchObject({ live: 300, hidden: 0, gone: 0 })
    expect((await mirror.status()).lastFullListing).toMatchObject({ seen: 0, missing: 300 })
  })

  it('shows a note that returns during the listing after the next full listing at the latest', async () => {
    await using world = await mirroredService({ notes: 300, contract })
    const store = memoryMirror()
    await world.another({ store, keep: ['note'] }).sync()
    const moved = moveOut(world, 20)
    // Pages 1 to 3 are the full listing, page 4 detects the missing operation. Notes return after page 5, the first of the confirming listing.
    const mirror = mirrorThat(world, store, (page) => {
      if (page === 6) for (const note of moved) note.moveTo('personal')
      return undefined
    })
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).notes.live).toBeGreaterThanOrEqual(280)
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).notes).toMatchObject({ live: 300, gone: 0 })
  })

  it('keeps a note that returns and is announced during the listing', async () => {
    await using world = await mirroredService({ notes: 300, contract: { ...contract, accessGained: 'announced' } })
    const store = memoryMirror()
    const first = world.another({ store, keep: ['note'] })
    let isDeaf = true
    await world.service.connect((secret) => {
      const { fetch } = first.receiver({ secret })
      return async (request) => (isDeaf ? new Response(null, { status: 204 }) : await fetch(request))
    })
    await first.sync()
    const moved = moveOut(world, 20)
    await world.service.settled()
    isDeaf = false
    const mirror = mirrorThat(world, store, async (page) => {
      if (page !== 6) return undefined
      for (const note of moved) note.moveTo('personal')
      await world.service.settled()
      return undefined
    })
    await mirror.sync({ fullListing: 'now' })
    await mirror.settle()
    expect((await mirror.status()).notes).toMatchObject({ live: 300, gone: 0, dirty: 0 })
  })

  it('removes nothing until the confirming listing has reached its last page', async () => {
    await using world = await mirroredService({ notes: 500, contract })
    const store = memoryMirror()
    await world.another({ store, keep: ['note'] }).sync()
    moveOut(world, 100)
    let isDown = true
    const mirror = mirrorThat(world, store, (page) =>
      isDown && page >= 4 + 1 + 3 ? new Response('down', { status: 500 }) : undefined,
    )
    expect(await mirror.sync({ fullListing: 'now' })).toMatchObject({ postponed: 100 })
    expect((await mirror.status()).notes).toMatchObject({ live: 500, gone: 0 })
    isDown = false
    await world.service.clock.advance('1h')
    await mirror.sync()
    expect((await mirror.status()).notes).toMatchObject({ live: 400, gone: 100 })
  })

  it('loses no note when pages shift during both listings', async () => {
    await using world = await mirroredService({ notes: 300, contract })
    const store = memoryMirror()
    await world.another({ store, keep: ['note'] }).sync()
    const notes = world.service.owner.notes()
    const elsewhere = world.service.owner.createChannel('elsewhere')
    // With pages by offset, a deletion before the offset shifts a note onto a page that was read already.
    const pagesByOffset = async (request: Request) => {
      const url = new URL(request.url)
      const offset = Number(url.searchParams.get('cursor') ?? 0)
      const visible: Note[] = []
      for await (const note of world.client.notes.list()) visible.push(note)
      const page = visible.slice(offset, offset + PAGE)
      const next = offset + PAGE < visible.length ? String(offset + PAGE) : null
      return Response.json({ notes: page, has_more: next !== null, next_cursor: next })
    }
    const mirror = mirrorThat(world, store, async (page, request) => {
      if (page === 2) notes[0]?.moveTo(elsewhere)
      if (page === 3 + 1 + 2) notes[150]?.moveTo(elsewhere)
      return await pagesByOffset(request)
    })
    await mirror.sync({ fullListing: 'now' })
    // Both notes that left were listed before they left. The next full listing misses them.
    expect((await mirror.status()).notes).toMatchObject({ live: 300, gone: 0 })
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).notes).toMatchObject({ live: 298, gone: 2 })
  })

  it('holds removals back if too many notes are missing', async () => {
    await using world = await mirroredService({ notes: 200, contract }, { keep: ['note'] })
    await world.mirror.sync()
    moveOut(world, 100)
    await world.service.clock.advance('1h')
    await world.mirror.sync({ fullListing: 'now' })
    expect((await world.mirror.status()).notes).toMatchObject({ live: 100, hidden: 100, gone: 0 })
  })
})

describe('a service that reads single notes', () => {
  it('completes a full listing even if the listed note that is read first can never be read', async () => {
    await using world = await mirroredService({ notes: 30 }, { keep: ['note'] }, { maxRetries: 0 })
    await world.mirror.sync()
    const [, , , unreadable] = world.service.owner.notes()
    moveOut(world, 3)
    world.service.faults.inject({
      request: `GET /v1/notes/${unreadable?.note_id}`,
      fault: { kind: 'status', status: 500 },
    })
    await world.mirror.sync({ fullListing: 'now' })
    const { lastFullListing, notes } = await world.mirror.status()
    expect(lastFullListing).toMatchObject({ seen: 27, missing: 3 })
    expect(notes).toMatchObject({ live: 30, dirty: 3 })
    world.service.faults.clear()
    await world.service.clock.advance('1h')
    await world.mirror.sync()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 27, gone: 3, dirty: 0 })
  })

  it('gets a read of each missing note', async () => {
    await using world = await mirroredService({ notes: 300 }, { keep: ['note'] })
    await world.mirror.sync()
    const moved = moveOut(world, 40)
    await world.service.clock.advance('1h')
    const before = world.asked().length
    await world.mirror.sync({ fullListing: 'now' })
    const asked = world.asked().slice(before)
    for (const { note_id } of moved) expect(asked).toContain(`GET /v1/notes/${note_id}`)
    expect((await world.mirror.status()).notes).toMatchObject({ live: 260, gone: 40 })
  })
})
