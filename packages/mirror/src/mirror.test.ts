import { NotesClient } from '@notewire/client'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { describe, expect, it } from 'vitest'
import { keptContent } from '../fixtures/kept-content.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, mirroredService, truthOf } from '../fixtures/mirrored-service.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { createMirror, openMirror } from './index.ts'

describe('the first sync', () => {
  it('copies every note with transcript and summary, without unnecessary requests', async () => {
    await using world = await mirroredService({ notes: 250 })
    const report = await world.mirror.sync()
    expect(report).toEqual({ listed: true, settled: 250, postponed: 0, nextAt: world.service.clock.now() + 300_000 })
    expect(world.asked().length).toBe(3 + 2 * 250)
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('reads at most `concurrency` notes concurrently', async () => {
    let most = 0
    let underWay = 0
    const world = await mirroredService({ notes: 40 })
    const client = new NotesClient({
      baseUrl: world.service.baseUrl,
      apiKey: world.service.apiKey,
      async fetch(request) {
        underWay += 1
        most = Math.max(most, underWay)
        try {
          return await world.service.fetch(request)
        } finally {
          underWay -= 1
        }
      },
    })
    await createMirror({ client, store: memoryMirror(), concurrency: 3 }).sync()
    // Two for each of three notes, and the listing.
    expect(most).toBeLessThanOrEqual(7)
    expect(most).toBeGreaterThan(3)
    await world.service.close()
  })

  it('continues after an interruption, and repeats only the request for the page that was not applied', async () => {
    await using world = await mirroredService({ notes: 350 })
    const end = new AbortController()
    const mirror = world.another({
      hooks: {
        onProgress: ({ phase, done }) => phase === 'backfill' && done === 200 && end.abort(new Error('enough')),
      },
    })
    await expect(mirror.sync({ signal: end.signal })).rejects.toThrow('enough')
    const before = world.asked().length
    await mirror.sync()
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
    expect(before + world.asked().length).toBeGreaterThan(0)
    expect(world.asked().filter((line) => line === 'GET /v1/notes').length).toBeLessThanOrEqual(4 + 1 + 4)
  })

  it('does not read parts that are not kept', async () => {
    await using world = await mirroredService({ notes: 5 }, { keep: [] })
    await world.mirror.sync()
    expect(world.asked()).toEqual(['GET /v1/notes'])
    for await (const { note, transcript, summary, isSettled } of world.mirror.list()) {
      expect({ note, transcript, summary, isSettled }).toEqual({
        note: {
          note_id: note.note_id,
          revision: note.revision,
          status: 'ended',
          transcript_status: note.transcript_status,
          summary_status: note.summary_status,
          created_at: note.created_at,
          updated_at: note.updated_at,
          ended_at: note.ended_at,
          owner: { type: 'personal' },
        },
        transcript: null,
        summary: null,
        isSettled: true,
      })
    }
  })

  it('needs no scope for parts that are not kept', async () => {
    await using world = await mirroredService({ notes: 3 })
    const { key } = world.service.owner.createIntegration().issueKey({ scopes: ['notes:read', 'summaries:read'] })
    const client = new NotesClient({ baseUrl: world.service.baseUrl, apiKey: key, fetch: world.service.fetch })
    const mirror = world.another({ client, keep: ['note', 'summary'] })
    await mirror.sync()
    for await (const { transcript, summary } of mirror.list()) {
      expect(transcript).toBeNull()
      expect(summary).not.toBeNull()
    }
    await expect(world.another({ client }).sync()).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('a sync of a mirror that is up to date', () => {
  it('sends one request, and writes no content', async () => {
    await using world = await mirroredService({ notes: 120 })
    await world.mirror.sync()
    await world.service.clock.advance('1h')
    const before = world.asked().length
    await world.mirror.sync()
    expect(world.asked().length - before).toBe(1)
  })

  it('finds changed notes, and reads only these', async () => {
    await using world = await mirroredService({ notes: 120 })
    await world.mirror.sync()
    await world.service.clock.advance('1h')
    const [note] = world.service.owner.notes()
    note?.edit({ title: 'New' })
    const before = world.asked().length
    await world.mirror.sync()
    expect(world.asked().length - before).toBe(1 + 2)
    expect((await world.mirror.get(note?.note_id ?? ''))?.note.title).toBe('New')
  })
})

describe('a full listing', () => {
  it('is due once a day', async () => {
    await using world = await mirroredService({ notes: 10 })
    await world.mirror.sync()
    expect((await world.mirror.status()).lastFullListing).toBeNull()
    await world.service.clock.advance('24h')
    await world.mirror.sync()
    expect((await world.mirror.status()).lastFullListing).toMatchObject({ seen: 10, missing: 0, holdsBack: false })
  })

  it('finds notes that left without an event, and removes each after a read', async () => {
    await using world = await mirroredService({ notes: 10 })
    await world.mirror.sync()
    const [first, second] = world.service.owner.notes()
    first?.moveTo(world.service.owner.createChannel('elsewhere'))
    await world.mirror.sync()
    expect(await world.mirror.get(first?.note_id ?? '')).toBeDefined()
    await world.mirror.sync({ fullListing: 'now' })
    expect(await world.mirror.get(first?.note_id ?? '')).toBeUndefined()
    expect(await world.mirror.get(second?.note_id ?? '')).toBeDefined()
    expect(await world.mirror.explain(first?.note_id ?? '')).toMatchObject({ presence: 'gone' })
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('removes a note with a tombstone without another read', async () => {
    await using world = await mirroredService({ notes: 10 })
    await world.mirror.sync()
    const [note] = world.service.owner.notes()
    note?.delete()
    await world.service.clock.advance('1h')
    const before = world.asked().length
    await world.mirror.sync({ fullListing: 'now' })
    expect(world.asked().slice(before)).toEqual(['GET /v1/notes', 'GET /v1/notes'])
    expect(await world.mirror.get(note?.note_id ?? '')).toBeUndefined()
  })

  it('removes nothing if the service lists no notes but still reads them', async () => {
    const faults = [{ request: 'GET /v1/notes', calls: [2, 3], fault: { kind: 'empty_page' } } as const]
    await using world = await mirroredService({ notes: 10, faults })
    await world.mirror.sync()
    await world.mirror.sync({ fullListing: 'now' })
    expect((await world.mirror.status()).notes).toMatchObject({ live: 10, gone: 0 })
  })

  it('holds removals back if too many notes are missing, until they are accepted', async () => {
    const held: unknown[] = []
    await using world = await mirroredService(
      { notes: 100 },
      { hooks: { onRemovalsHeld: (notice) => held.push(notice) } },
    )
    await world.mirror.sync()
    const channel = world.service.owner.createChannel('elsewhere')
    for (const note of world.service.owner.notes().slice(0, 60)) note.moveTo(channel)
    await world.mirror.sync({ fullListing: 'now' })
    const { lastFullListing, notes } = await world.mirror.status()
    expect(notes).toMatchObject({ live: 40, hidden: 60, gone: 0 })
    expect(held).toEqual([
      { integration: 'default', fullListingId: lastFullListing?.fullListingId, missing: 60, live: 100 },
    ])
    await world.mirror.sync({ fullListing: 'now' })
    expect((await world.mirror.status()).held).toEqual([{ fullListingId: lastFullListing?.fullListingId, notes: 60 }])
    expect(await world.mirror.acceptRemovals(lastFullListing?.fullListingId ?? '')).toBe(60)
    expect((await world.mirror.status()).notes).toMatchObject({ live: 40, hidden: 0, gone: 60 })
    await expect(world.mirror.acceptRemovals(lastFullListing?.fullListingId ?? '')).rejects.toMatchObject({
      code: 'full_listing_unknown',
    })
  })

  it('shows a note again whose removal was held back and that is found again', async () => {
    await using world = await mirroredService({ notes: 100 })
    await world.mirror.sync()
    const channel = world.service.owner.createChannel('elsewhere')
    const moved = world.service.owner.notes().slice(0, 60)
    for (const note of moved) note.moveTo(channel)
    await world.mirror.sync({ fullListing: 'now' })
    for (const note of moved) note.moveTo('personal')
    await world.mirror.sync({ fullListing: 'now' })
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('holds the removal of a missing note back for which an event arrived while it was read', async () => {
    await using world = await mirroredService({ notes: 100 })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const channel = world.service.owner.createChannel('elsewhere')
    for (const note of world.service.owner.notes().slice(0, 60)) note.moveTo(channel)
    const noteId = world.service.owner.notes()[0]?.note_id ?? ''
    const secret = 'whsec_c2VjcmV0LW9mLWEtdGVzdC10aGF0LWlzLWxvbmcgZW5vdWdo'
    const event = await signAttempt(secret, anEvent({ kind: 'note.updated', noteId, revision: 1 }), {
      signedAt: world.service.clock.now(),
    })
    const receiver = world.another({ store }).receiver({ secret })
    let hasArrived = false
    const client = new NotesClient({
      baseUrl: world.service.baseUrl,
      apiKey: world.service.apiKey,
      async fetch(request) {
        if (!request.url.endsWith(`/notes/${noteId}`) || hasArrived) return await world.service.fetch(request)
        hasArrived = true
        const response = await world.service.fetch(request)
        await receiver.fetch(new Request('https://receiver.example/', { method: 'POST', ...event }))
        return response
      },
    })
    const mirror = world.another({ store, client })
    await mirror.sync({ fullListing: 'now' })
    await mirror.settle()
    expect((await mirror.status()).notes).toMatchObject({ live: 40, hidden: 60, gone: 0 })
    expect(hasArrived).toBe(true)
  })

  it('sets no correctAsOf while a missing note could not be read, and holds its removal back when it can be read', async () => {
    await using world = await mirroredService({ notes: 100 }, {}, { maxRetries: 0 })
    await world.mirror.sync()
    await world.mirror.sync({ fullListing: 'now' })
    const channel = world.service.owner.createChannel('elsewhere')
    const moved = world.service.owner.notes().slice(0, 60)
    for (const note of moved) note.moveTo(channel)
    const request = `GET /v1/notes/${moved[0]?.note_id}`
    world.service.faults.inject({ request, calls: [1], fault: { kind: 'status', status: 500 } })
    await world.service.clock.advance('10m')
    await world.mirror.sync({ fullListing: 'now' })
    expect(await world.mirror.status()).toMatchObject({
      notes: { live: 41, hidden: 59, gone: 0, dirty: 1 },
      correctAsOf: null,
    })
    await world.service.clock.advance('10m')
    await world.mirror.settle()
    const { notes, held, lastFullListing, correctAsOf } = await world.mirror.status()
    expect(notes).toMatchObject({ live: 40, hidden: 60, gone: 0, dirty: 0 })
    expect(held).toEqual([{ fullListingId: lastFullListing?.fullListingId, notes: 60 }])
    expect(correctAsOf).not.toBeNull()
  })
})

describe('a service without an operation for single notes', () => {
  const contract = { noteOperation: 'absent' } as const

  it('is mirrored by listings: a note that two listings do not contain is gone', async () => {
    await using world = await mirroredService({ notes: 30, contract })
    const endpoint = await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await world.mirror.sync()
    const [first, second, third] = world.service.owner.notes()
    first?.moveTo(world.service.owner.createChannel('elsewhere'))
    second?.edit({ title: 'New' })
    third?.delete()
    await world.service.settled()
    await world.mirror.sync({ fullListing: 'now' })
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
    expect((await world.mirror.status()).notes).toMatchObject({ live: 28, gone: 2, dirty: 0 })
    expect(endpoint.status).toBe('active')
  })

  it('is listed once for all waiting notes', async () => {
    await using world = await mirroredService({ notes: 30, contract })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await world.mirror.sync()
    const [first] = world.service.owner.notes()
    first?.edit({ title: 'That it does not is found out by one note' })
    await world.service.settled()
    await world.mirror.settle()
    for (const note of world.service.owner.notes()) note.edit({ title: 'New' })
    await world.service.settled()
    const before = world.asked().length
    await world.mirror.settle()
    const listings = world
      .asked()
      .slice(before)
      .filter((line) => line === 'GET /v1/notes')
    expect(listings.length).toBeLessThan(10)
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })
})

describe('a service that answers with an error', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [404, 'not_found'],
  ])('with %i does not cause removals', async (status, code) => {
    await using world = await mirroredService({ notes: 10 }, {}, { maxRetries: 0 })
    await world.mirror.sync()
    world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status } })
    await expect(world.mirror.sync({ fullListing: 'now' })).rejects.toMatchObject({ code })
    expect((await world.mirror.status()).notes).toMatchObject({ live: 10, gone: 0, hidden: 0 })
  })
})

describe('another key', () => {
  it('is rejected by a mirror with a recorded key, until it is adopted', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const integration = world.service.owner.createIntegration()
    const { key } = integration.issueKey()
    const client = new NotesClient({ baseUrl: world.service.baseUrl, apiKey: key, fetch: world.service.fetch })
    const mirror = world.another({ store, client })
    const error = await mirror.sync().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'key_changed', keyId: world.client.keyId })
    expect(String(error)).not.toContain(key)
    await mirror.adoptKey()
    await mirror.sync()
    await expect(world.another({ store }).sync()).rejects.toMatchObject({ code: 'key_changed' })
  })

  it('reads no note, because a note that it cannot see is not gone', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    const mirror = world.another({ store })
    await world.service.connect((secret) => mirror.receiver({ secret }).fetch)
    await mirror.sync()
    const channel = world.service.owner.createChannel('team')
    world.service.owner.record({ channel }).end()
    world.service.owner.notes()[0]?.edit({ title: 'New' })
    await world.service.settled()
    const { key } = world.service.owner.createIntegration({ channels: [channel] }).issueKey()
    const client = new NotesClient({ baseUrl: world.service.baseUrl, apiKey: key, fetch: world.service.fetch })
    const other = world.another({ store, client })
    for (const attempt of [() => other.settle(), () => other.sync(), () => other.work()]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'key_changed' })
    }
    expect((await mirror.status()).notes).toMatchObject({ live: 5, gone: 0, dirty: 1 })
  })

  it('can have its own mirror in the same store', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    const channel = world.service.owner.createChannel('team')
    world.service.owner.record({ channel }).end()
    await world.service.settled()
    const { key } = world.service.owner.createIntegration({ channels: [channel] }).issueKey()
    const client = new NotesClient({ baseUrl: world.service.baseUrl, apiKey: key, fetch: world.service.fetch })
    const personal = world.another({ store })
    const team = world.another({ store, client, integration: 'team' })
    await Promise.all([personal.sync({ fullListing: 'now' }), team.sync({ fullListing: 'now' })])
    expect(await copyIn(personal)).toEqual(await truthOf(world.client))
    expect(await copyIn(team)).toEqual(await truthOf(client))
    expect((await copyIn(team)).length).toBe(1)
  })
})

describe('hints', () => {
  it('are stored before the answer, and lead to one read of each part of a new note', async () => {
    await using world = await mirroredService({ notes: 3 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await world.mirror.sync()
    const note = world.service.owner.record({ title: 'Retro' }).end()
    await world.service.settled()
    expect(await world.mirror.get(note.note_id)).toBeUndefined()
    const before = world.asked().length
    await world.mirror.settle()
    expect(await world.mirror.get(note.note_id)).toMatchObject({ note: { title: 'Retro' }, isSettled: true })
    expect(world.asked().slice(before)).toEqual([
      `GET /v1/notes/${note.note_id}`,
      `GET /v1/notes/${note.note_id}/transcript`,
      `GET /v1/notes/${note.note_id}/summary`,
    ])
  })

  it('of a deletion hide the note before the answer', async () => {
    await using world = await mirroredService({ notes: 3 })
    let answered = 0
    await world.service.connect((secret) => {
      const receiver = world.mirror.receiver({ secret })
      return async (request) => {
        const response = await receiver.fetch(request)
        const { notes } = await world.mirror.status()
        answered = notes.hidden
        return response
      }
    })
    await world.mirror.sync()
    const [note] = world.service.owner.notes()
    note?.delete()
    await world.service.settled()
    expect(answered).toBe(1)
    expect(await world.mirror.get(note?.note_id ?? '')).toBeUndefined()
    await world.mirror.settle()
    expect((await world.mirror.status()).notes).toMatchObject({ live: 2, hidden: 0, gone: 1 })
  })

  it('of deletions erase any number of notes soon after an hour, even if the service is down', async () => {
    const store = memoryMirror()
    await using world = await mirroredService({ notes: 60 }, { store }, { maxRetries: 0 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await world.mirror.sync()
    world.service.faults.inject({ request: 'GET /v1/notes/*', fault: { kind: 'status', status: 500 } })
    for (const note of world.service.owner.notes()) note.delete()
    await world.service.settled()
    await world.service.clock.advance('59m')
    await world.mirror.settle().catch(() => undefined)
    expect(await keptContent(store)).toBe(60)
    await world.service.clock.advance('2m')
    await world.mirror.settle().catch(() => undefined)
    expect(await keptContent(store)).toBe(0)
    expect((await world.mirror.status()).notes).toMatchObject({ live: 0, hidden: 60, dirty: 60 })
  })

  it('with nothing new cause no request', async () => {
    await using world = await mirroredService({ notes: 3 })
    const endpoint = await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    const note = world.service.owner.record().end()
    await world.service.settled()
    await world.mirror.sync()
    const before = world.asked().length
    expect(await world.mirror.settle()).toMatchObject({ settled: 0 })
    expect(world.asked().length).toBe(before)
    expect([endpoint.status, note.revision > 0]).toEqual(['active', true])
  })
})

describe('work', () => {
  it('syncs when the next poll is due, reads the notes that events named, and returns the time of the next call', async () => {
    await using world = await mirroredService({ notes: 3 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    const first = await world.mirror.work()
    expect(first).toMatchObject({ listed: true, settled: 3, nextAt: world.service.clock.now() + 300_000 })
    world.service.owner.record().end()
    await world.service.settled()
    expect(await world.mirror.work()).toMatchObject({ listed: false, settled: 1, nextAt: first.nextAt })
    await world.service.clock.advance('5m')
    expect(await world.mirror.work()).toMatchObject({ listed: true, nextAt: world.service.clock.now() + 300_000 })
  })
})

describe('the silence in the status', () => {
  it('says that the endpoint is probably disabled if polls find changes that no event announced', async () => {
    await using world = await mirroredService({ notes: 10 })
    let isDeaf = false
    await world.service.connect((secret) => {
      const { fetch } = world.mirror.receiver({ secret })
      return async (request) => (isDeaf ? new Response(null, { status: 204 }) : await fetch(request))
    })
    const notes = world.service.owner.notes()
    notes[0]?.edit({ title: 'heard' })
    await world.service.settled()
    await world.mirror.sync()
    isDeaf = true
    for (const note of notes.slice(1, 5)) note.edit({ title: 'not heard' })
    await world.service.settled()
    await world.service.clock.advance('2h')
    expect((await world.mirror.status()).silence).toBeNull()
    await world.mirror.sync()
    expect((await world.mirror.status()).silence).toMatch(/4 changes .* probably disabled/)
    isDeaf = false
    notes[9]?.edit({ title: 'heard again' })
    await world.service.settled()
    expect((await world.mirror.status()).silence).toBeNull()
  })
})

describe('a mirror that is only read', () => {
  it('needs no key, and shows the notes of the mirror that writes', async () => {
    await using world = await mirroredService({ notes: 5 })
    const store = memoryMirror()
    await world.another({ store }).sync()
    const reader = openMirror({ store: onClock(store, world.service.clock) })
    expect((await reader.status()).notes.live).toBe(5)
    const kinds: string[] = []
    for await (const { kind } of reader.changes()) kinds.push(kind)
    expect(kinds).toEqual(Array.from({ length: 5 }, () => 'added'))
    expect(() => openMirror({} as never)).toThrow(expect.objectContaining({ option: 'store' }))
  })
})

describe('a position of the feed', () => {
  it('is rejected by a copy that was created later', async () => {
    await using world = await mirroredService({ notes: 2 })
    await world.mirror.sync()
    let after = ''
    for await (const { position } of world.mirror.changes()) after = position
    expect((await world.mirror.status()).position).toBe(after)
    const anew = world.another({})
    await anew.sync()
    const toldAgain = async () => {
      for await (const { noteId } of anew.changes({ after })) throw new Error(`told of ${noteId}`)
    }
    await expect(toldAgain()).rejects.toMatchObject({ code: 'position_foreign' })
  })
})
