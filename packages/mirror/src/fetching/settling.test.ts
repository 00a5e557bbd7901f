import { setImmediate as nextTurn, setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { systemClock } from '@notewire/protocol'
import { describe, expect, it, vi } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { copyIn, mirroredService, truthOf } from '../../fixtures/mirrored-service.ts'
import type { MirrorCommit, MirrorStore } from '../stores/mirror-store.ts'
import { sqliteMirror } from '../stores/sqlite/index.ts'

/** A store that records how many transcripts each commit contains. */
function countingStore(store: MirrorStore = memoryMirror()) {
  const transcripts: number[] = []
  const commit = async (integration: string, commit: MirrorCommit) => {
    const count = commit.notes.filter(({ content }) => content !== 'erase' && content?.transcript !== undefined).length
    if (count > 0) transcripts.push(count)
    return await store.commit(integration, commit)
  }
  return { transcripts, store: { ...store, commit } }
}

describe('the content of listed notes', () => {
  it('is written in one commit if it arrives while another commit runs', async () => {
    const { store, transcripts } = countingStore()
    await using world = await mirroredService({ notes: 40 }, { store })
    await world.mirror.sync()
    expect(transcripts.length).toBeLessThan(20)
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('is written with the content of other notes, if responses arrive one by one', async () => {
    const { store, transcripts } = countingStore(sqliteMirror(':memory:'))
    await using world = await mirroredService({ notes: 100 }, { store })
    const { baseUrl, apiKey } = world.service
    let answered = Promise.resolve()
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        const response = await world.service.fetch(request)
        answered = answered.then(() => setImmediate())
        await answered
        return response
      },
    })
    await world.another({ client, store, concurrency: 10 }).sync()
    expect(transcripts.reduce((sum, count) => sum + count)).toBe(100)
    expect(transcripts.length).toBeLessThan(25)
  })

  it('is written in the commits that the store asks for, if it replaces content', async () => {
    const { store, transcripts } = countingStore()
    await using world = await mirroredService({ notes: 7 }, { store: { ...store, mostEditsPerCommit: 4 } })
    await world.mirror.sync()
    for (const note of world.service.owner.notes()) note.edit({ title: 'Edited' })
    await world.service.clock.advance('1h')
    transcripts.splice(0)
    await world.mirror.sync()
    expect(Math.max(...transcripts)).toBeLessThanOrEqual(4)
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('is written if no other note is read', async () => {
    const { store, transcripts } = countingStore()
    await using world = await mirroredService({ notes: 3 }, { store, concurrency: 1 })
    await world.mirror.sync()
    expect(transcripts).toEqual([2, 1])
  })

  it('does not wait for a note whose content arrives late', async () => {
    await using world = await mirroredService({ notes: 6 })
    const answer = Promise.withResolvers<void>()
    const clock = { now: () => world.service.clock.now(), sleep: () => nextTurn() }
    let transcripts = 0
    const { baseUrl, apiKey } = world.service
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        if (request.url.endsWith('/transcript')) transcripts += 1
        if (request.url.endsWith('/transcript') && transcripts === 1) await answer.promise
        return await world.service.fetch(request)
      },
    })
    const mirror = world.another({ client, clock })
    const synced = mirror.sync()
    await vi.waitFor(async () => expect((await mirror.status()).notes).toMatchObject({ live: 6, unsettled: 1 }))
    answer.resolve()
    await synced
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })
})

describe('a note whose event arrives while it is read', () => {
  /** A mirror of one note, whose next requests for the transcript wait until they are released. */
  async function withHeldTranscript() {
    const world = await mirroredService({ notes: 1 })
    const released = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    let [isHeld, reading, most, reads] = [false, 0, 0, 0]
    const { baseUrl, apiKey, owner } = world.service
    const client = new NotesClient({
      baseUrl,
      apiKey,
      async fetch(request) {
        const response = await world.service.fetch(request)
        if (!isHeld || !request.url.endsWith('/transcript')) return response
        reads += 1
        reading += 1
        most = Math.max(most, reading)
        requested.resolve()
        await released.promise
        reading -= 1
        return response
      },
    })
    const store = memoryMirror()
    const mirror = world.another({ client, store, concurrency: 4, clock: systemClock })
    await mirror.sync()
    await world.service.connect((secret) => mirror.receiver({ secret, clock: world.service.clock }).fetch)
    const edit = async (title: string) => {
      owner.notes()[0]?.edit({ title })
      await world.service.settled()
    }
    isHeld = true
    await edit('first')
    return {
      world,
      mirror,
      store,
      edit,
      requested: requested.promise,
      release: released.resolve,
      counts: () => ({ most, reads }),
    }
  }

  it('is read again when it is done, and not before', async () => {
    const { world, mirror, edit, requested, release, counts } = await withHeldTranscript()
    await using _ = world
    const settled = mirror.settle()
    await requested
    await edit('second')
    await sleep(50)
    release()
    await settled
    expect(counts()).toEqual({ most: 1, reads: 2 })
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })

  it('is read by another process, too, which does not wait for the first', async () => {
    const { world, mirror, store, edit, requested, release } = await withHeldTranscript()
    await using _ = world
    const settled = mirror.settle()
    await requested
    await edit('second')
    const other = world.another({ store, clock: systemClock })
    await other.settle()
    expect(await copyIn(other)).toEqual(await truthOf(world.client))
    release()
    await settled
    expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
  })
})

it('a sync whose store fails to read due notes stops listing', async () => {
  await using world = await mirroredService({ notes: 1_000 })
  const inner = memoryMirror()
  const readDue = vi.fn(inner.readDue).mockRejectedValueOnce(new Error('disk full'))
  await expect(world.another({ store: { ...inner, readDue } }).sync()).rejects.toThrow('disk full')
  expect(world.asked().filter((line) => line === 'GET /v1/notes').length).toBeLessThan(5)
})

it.each([
  ['at once', 0],
  ['late', 5],
])(
  'content is written while a page of the listing is awaited, even if the clock stands still and the store answers %s',
  async (_, ms) => {
    const page = Promise.withResolvers<void>()
    const store = memoryMirror()
    const readDue: typeof store.readDue = async (...request) => {
      const due = await store.readDue(...request)
      if (ms > 0) await sleep(ms)
      return due
    }
    await using world = await mirroredService(
      { notes: 150 },
      { store: { ...store, readDue } },
      {
        async fetch(request) {
          if (new URL(request.url).searchParams.has('cursor')) await page.promise
          return await world.service.fetch(request)
        },
      },
    )
    const synced = world.mirror.sync()
    const copied = async () => expect((await world.mirror.status()).notes).toMatchObject({ live: 100, unsettled: 0 })
    await vi.waitFor(copied, { timeout: 10_000 })
    page.resolve()
    await synced
  },
)

it('few due notes are read at a time while few are fetched', async () => {
  const inner = memoryMirror()
  const limits: number[] = []
  const readDue: typeof inner.readDue = async (integration, request) => {
    limits.push(request.limit)
    return await inner.readDue(integration, request)
  }
  await using world = await mirroredService({ notes: 600 })
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({
    baseUrl,
    apiKey,
    async fetch(request) {
      if (!new URL(request.url).pathname.endsWith('/v1/notes')) await sleep(20)
      return await world.service.fetch(request)
    },
  })
  const mirror = world.another({ client, store: { ...inner, readDue }, concurrency: 4, clock: systemClock })
  await mirror.sync()
  expect(limits[0]).toBe(500)
  expect(limits.slice(1, -1).every((limit) => limit >= 32 && limit < 500)).toBe(true)
  expect((await mirror.status()).notes).toMatchObject({ live: 600, unsettled: 0 })
}, 30_000)

it('a sync that fails ends after its commits', async () => {
  await using world = await mirroredService({ notes: 5 })
  const inner = memoryMirror()
  let [isBroken, running] = [false, 0]
  const store: MirrorStore = {
    ...inner,
    async readDue(...request) {
      if (isBroken) throw new Error('disk full')
      return await inner.readDue(...request)
    },
    async commit(...written) {
      running += 1
      await sleep(15)
      const outcome = await inner.commit(...written)
      running -= 1
      return outcome
    },
  }
  const { baseUrl, apiKey } = world.service
  let summaries = 0
  const client = new NotesClient({
    baseUrl,
    apiKey,
    async fetch(request) {
      const response = await world.service.fetch(request)
      if (request.url.endsWith('/summary')) summaries += 1
      if (summaries === 4) isBroken = true
      return response
    },
  })
  const mirror = world.another({ client, store, concurrency: 1, clock: systemClock })
  await expect(mirror.sync()).rejects.toThrow('disk full')
  expect(running).toBe(0)
})

it('due notes are read concurrently, even if nothing is listed and the store answers late', async () => {
  const store = memoryMirror()
  const slow: typeof store = {
    ...store,
    readDue: async (...request) => {
      const due = await store.readDue(...request)
      await sleep(20)
      return due
    },
  }
  await using world = await mirroredService({ notes: 8 })
  let [reading, most] = [0, 0]
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({
    baseUrl,
    apiKey,
    async fetch(request) {
      const isRead = /\/notes\/[^/]+$/.test(new URL(request.url).pathname)
      if (isRead) reading += 1
      most = Math.max(most, reading)
      await sleep(5)
      if (isRead) reading -= 1
      return await world.service.fetch(request)
    },
  })
  const mirror = world.another({ client, store: slow, concurrency: 4 })
  await mirror.sync()
  await world.service.connect((secret) => mirror.receiver({ secret }).fetch)
  for (const note of world.service.owner.notes()) note.edit({ title: 'Edited' })
  await world.service.settled()
  expect((await mirror.settle()).settled).toBe(8)
  expect(most).toBe(4)
})

it('a note that an event announced is read at the same time as its content, in three requests', async () => {
  await using world = await mirroredService({ notes: 1 })
  const contentRequested = Promise.withResolvers<void>()
  const order: string[] = []
  let isEdited = false
  const { baseUrl, apiKey } = world.service
  const client = new NotesClient({
    baseUrl,
    apiKey,
    async fetch(request) {
      const [, part = 'note'] = /\/notes\/[^/]+(?:\/(\w+))?$/.exec(new URL(request.url).pathname) ?? []
      if (part !== 'note') contentRequested.resolve()
      else if (isEdited) await Promise.race([contentRequested.promise, sleep(500)])
      if (isEdited) order.push(part)
      return await world.service.fetch(request)
    },
  })
  const mirror = world.another({ client })
  await mirror.sync()
  await world.service.connect((secret) => mirror.receiver({ secret }).fetch)
  world.service.owner.notes()[0]?.edit({ title: 'Edited' })
  await world.service.settled()
  isEdited = true
  await mirror.settle()
  expect(order.toSorted()).toEqual(['note', 'summary', 'transcript'])
  expect(order[0]).not.toBe('note')
  expect(await copyIn(mirror)).toEqual(await truthOf(world.client))
})
