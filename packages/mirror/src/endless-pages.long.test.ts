import { createNotesService } from '@notewire/mock-server'
import { anEvent } from '@notewire/webhooks/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { PAGED_SERVICE_URL, pagedService } from '../fixtures/paged-service.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { createMirror, createMirrors } from './index.ts'

// The client slows down with the timers of this process.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

let cursors = 0
const idlePage = (notes: readonly unknown[]) => {
  cursors += 1
  return Response.json({ notes, next_cursor: `another ${cursors}` })
}

const IDLE: Readonly<Record<string, () => Response>> = {
  'empty pages': () => idlePage([]),
  'pages that repeat notes': () =>
    idlePage(Array.from({ length: 3 }, (_, index) => ({ note_id: `note_0000${index}`, revision: 1 }))),
  'pages whose records cannot be used': () => idlePage([{ note_id: 'note_00001', revision: 'one' }]),
}

describe.each(['never', 'now'] as const)('a sync with full listing %s', (fullListing) => {
  /** A mirror that has been listed before a full listing, of a service whose listings do not end after their first page. */
  async function setUp(idle: () => Response) {
    const service = pagedService(250)
    const store = memoryMirror()
    const mirror = () => createMirror({ client: service.client, store, keep: [], logger: SILENT })
    if (fullListing === 'now') await mirror().sync({ fullListing: 'never' })
    service.answer = (cursor) => (cursor === null ? undefined : idle())
    service.asked.length = 0
    return { service, mirror }
  }

  it('ends after 10,000 pages without a new note, and the next one begins an hour later', async () => {
    const { service, mirror } = await setUp(() => idlePage([]))
    const sync = () => atLast(mirror().sync({ fullListing }))
    await expect(sync()).rejects.toMatchObject({ code: 'listing_stalled' })
    expect(service.asked.length).toBeGreaterThanOrEqual(10_000)
    expect(service.asked.length).toBeLessThan(10_010)
    service.asked.length = 0
    await expect(sync()).rejects.toMatchObject({ code: 'listing_stalled' })
    expect(service.asked.length).toBeLessThanOrEqual(1)

    await vi.advanceTimersByTimeAsync(60 * 60_000)
    // The count is kept: the notes that were listed before do not begin it again.
    await expect(sync()).rejects.toMatchObject({ code: 'listing_stalled' })
    expect(service.asked.length).toBeLessThan(10)

    await vi.advanceTimersByTimeAsync(60 * 60_000)
    service.answer = () => undefined
    await sync()
    expect((await mirror().status()).notes).toMatchObject({ live: 250, gone: 0 })
  })

  it.each(Object.keys(IDLE))('counts %s with ever new cursors, which slow it down after twenty', async (kind) => {
    const { service, mirror } = await setUp(IDLE[kind] ?? (() => idlePage([])))
    const stop = new AbortController()
    const ended = mirror()
      .sync({ fullListing, signal: stop.signal })
      .catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    expect(service.asked.length).toBeGreaterThanOrEqual(20)
    expect(service.asked.length).toBeLessThan(30)
    stop.abort(new Error('enough'))
    expect(await ended).toMatchObject({ message: 'enough' })
  })
})

it('the count is kept by a process that ends after each page', async () => {
  const service = pagedService(250)
  const store = memoryMirror()
  service.answer = (cursor) => (cursor === null ? undefined : idlePage([]))
  let isStalled = false
  let processes = 0
  while (!isStalled && processes < 300) {
    processes += 1
    const stop = new AbortController()
    let pages = 0
    const onProgress = () => {
      pages += 1
      if (pages === 50) stop.abort(new Error('the process ends'))
    }
    const mirror = createMirror({ client: service.client, store, keep: [], hooks: { onProgress }, logger: SILENT })
    await atLast(mirror.sync({ signal: stop.signal })).catch(({ code }) => {
      isStalled = code === 'listing_stalled'
    })
  }
  expect(isStalled).toBe(true)
  expect(service.asked.length).toBeLessThan(10_300)
})

it('an abort ends a sync that is slowed down', async () => {
  const service = pagedService(250)
  service.answer = (cursor) => (cursor === null ? undefined : idlePage([]))
  const stop = new AbortController()
  const mirror = createMirror({ client: service.client, store: memoryMirror(), keep: [], logger: SILENT })
  const ended = mirror.sync({ signal: stop.signal }).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(10_000)
  const asked = service.asked.length
  expect(asked).toBeGreaterThan(20)
  expect(asked).toBeLessThan(200)
  stop.abort(new Error('enough'))
  expect(await ended).toMatchObject({ message: 'enough' })
})

it('hundreds of empty pages before the next note are listed to the end, in slices, too', async () => {
  const { clock } = await createNotesService()
  const service = pagedService(250)
  let empty = 300
  service.answer = (cursor) => {
    if (cursor === null || empty === 0) return undefined
    empty -= 1
    return Response.json({ notes: [], next_cursor: `${empty} after note_00099` })
  }
  const mirrors = mirrorsOf(service, clock)
  const stop = new AbortController()
  await mirrors.add('customer')
  const running = mirrors.run({ signal: stop.signal })
  for (let minutes = 0; minutes < 30; minutes += 1) await atLast(clock.advance('1m'))
  stop.abort()
  await atLast(running)
  expect((await mirrors.of('customer').status()).notes).toMatchObject({ live: 250 })
})

it('createMirrors requests endless pages about once a second, and then once an hour', async () => {
  const { clock } = await createNotesService()
  const service = pagedService(250)
  service.answer = (cursor) => (cursor === null ? undefined : idlePage([]))
  const problems: unknown[] = []
  const mirrors = mirrorsOf(service, clock, problems)
  const stop = new AbortController()
  await mirrors.add('customer')
  const running = mirrors.run({ signal: stop.signal })
  await atLast(clock.advance('1m'))
  expect(service.asked.length).toBeLessThan(120)
  for (let minutes = 0; minutes < 240; minutes += 1) await atLast(clock.advance('1m'))
  expect(problems).toContainEqual(expect.objectContaining({ code: 'listing_stalled' }))
  expect(service.asked.length).toBeLessThan(10_100)
  service.asked.length = 0
  for (let minutes = 0; minutes < 240; minutes += 1) await atLast(clock.advance('1m'))
  expect(service.asked.length).toBeLessThan(30)
  stop.abort()
  await atLast(running)
})

it('createMirrors also slows down for pages that repeat a note at ever higher revisions', async () => {
  const { clock } = await createNotesService()
  const service = pagedService(250)
  service.answer = (cursor) =>
    cursor === null ? undefined : idlePage([{ note_id: 'note_00001', revision: service.asked.length }])
  const mirrors = mirrorsOf(service, clock)
  const stop = new AbortController()
  await mirrors.add('customer')
  const running = mirrors.run({ signal: stop.signal })
  await atLast(clock.advance('1m'))
  expect(service.asked.length).toBeLessThan(120)
  stop.abort()
  await atLast(running)
})

it('createMirrors also slows down for pages that repeat a note which an event has deleted', async () => {
  const { clock } = await createNotesService()
  const service = pagedService(250)
  service.answer = (cursor) => (cursor === null ? undefined : idlePage([{ note_id: 'note_00001', revision: 1 }]))
  const mirrors = mirrorsOf(service, clock)
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  await mirrors.add('customer')
  const deletion = anEvent({ kind: 'note.deleted', noteId: 'note_00001', revision: 7 })
  const receiver = mirrors.receivers({ secretOf: () => secret, logger: SILENT })
  expect((await receiver.process(deletion, { integration: 'customer' })).status).toBe('applied')
  const stop = new AbortController()
  const running = mirrors.run({ signal: stop.signal })
  await atLast(clock.advance('1m'))
  expect(service.asked.length).toBeLessThan(120)
  stop.abort()
  await atLast(running)
})

it('a backfill that was stopped for its idle pages ends, although the notes that it had listed are no longer on page one', async () => {
  const service = pagedService(250)
  const store = memoryMirror()
  const mirror = () => createMirror({ client: service.client, store, keep: [], logger: SILENT })
  service.answer = (cursor) => (cursor === null ? undefined : idlePage([]))
  await expect(atLast(mirror().sync())).rejects.toMatchObject({ code: 'listing_stalled' })
  // As many notes as were listed, before them.
  for (let index = 0; index < 100; index += 1) service.noteIds.add(`a_${1_000 + index}`)
  service.answer = () => undefined
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  await atLast(mirror().sync())
  expect((await mirror().status()).notes).toMatchObject({ live: 350 })
})

it('a poll that lists all notes again is not slowed down', async () => {
  const { clock } = await createNotesService()
  const service = pagedService(6_000)
  const { fetch } = service
  // A service that ignores `updated_after`.
  service.fetch = (request) => {
    const url = new URL(request.url)
    url.searchParams.delete('updated_after')
    return fetch(new Request(url, request))
  }
  const mirrors = mirrorsOf(service, clock)
  const stop = new AbortController()
  await mirrors.add('customer')
  const running = mirrors.run({ signal: stop.signal })
  await atLast(clock.advance('30s'))
  expect(service.asked).toHaveLength(60)
  for (let seconds = 0; service.asked.length === 60 && seconds < 900; seconds += 10) await atLast(clock.advance('10s'))
  await atLast(clock.advance('10s'))
  expect(service.asked).toHaveLength(120)
  stop.abort()
  await atLast(running)
})

function mirrorsOf(
  { fetch }: ReturnType<typeof pagedService>,
  clock: Awaited<ReturnType<typeof createNotesService>>['clock'],
  problems: unknown[] = [],
) {
  return createMirrors({
    store: memoryMirror({ clock }),
    keep: [],
    connect: () => ({ baseUrl: PAGED_SERVICE_URL, apiKey: 'ntw_live_k1.secret', fetch }),
    hooks: { onProblem: ({ error }) => problems.push(error) },
    logger: SILENT,
  })
}

/** Waits for a promise while the timers of this process run ahead. */
async function atLast<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  promise.then(settled, settled)
  while (!isSettled) await vi.advanceTimersByTimeAsync(1_000)
  return await promise
}
