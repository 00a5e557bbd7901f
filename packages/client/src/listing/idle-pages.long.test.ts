import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { NotesClient } from '../notes-client.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const KNOWN = [{ note_id: 'n1', revision: 1 }]

/** Ways in which a page can have no new note. Each page has a new cursor. */
const IDLE: Readonly<Record<string, (page: number) => readonly unknown[]>> = {
  'empty pages': () => [],
  'pages that repeat a note': () => KNOWN,
  'pages that repeat a note at a higher revision': (page) => [{ note_id: 'n1', revision: page }],
  'three pages in turn': (page) => [{ note_id: `n${page % 3}`, revision: 1 }],
  'pages whose records cannot be used': (page) => [{ note_id: `n${page}`, revision: 'one' }, 0, null],
}

const CALLS: Readonly<Record<string, (client: NotesClient) => AsyncIterable<unknown>>> = {
  list: ({ notes }) => notes.list(),
  'list().pages': ({ notes }) => notes.list().pages(),
  changes: ({ notes }) => notes.changes(),
  listWithContent: ({ notes }) => notes.listWithContent(),
}

describe.each(Object.keys(CALLS))('%s', (call) => {
  it('ends with listing_endless after about 10,000 pages without a new note', async () => {
    const service = endless(IDLE['empty pages'])
    const ended = errorOf(drain(CALLS[call]?.(service.client)))
    await untilSettled(ended)
    expect(await ended).toMatchObject({ code: 'listing_endless', operation: 'GET /v1/notes' })
    expect(service.pages()).toBeGreaterThanOrEqual(10_000)
    expect(service.pages()).toBeLessThan(10_010)
  })

  it.each(Object.keys(IDLE))('counts %s with ever new cursors, which slow it down after twenty', async (kind) => {
    const service = endless(IDLE[kind], 100)
    const ended = drain(CALLS[call]?.(service.client))
    await vi.advanceTimersByTimeAsync(0)
    expect(service.pages()).toBeGreaterThanOrEqual(20)
    expect(service.pages()).toBeLessThan(30)
    await untilSettled(ended)
  })
})

it('a listing is slowed down after twenty pages in a row without a new note, and not before', async () => {
  const service = endless(() => [])
  const stop = new AbortController()
  const ended = errorOf(drain(service.client.notes.list({}, { signal: stop.signal })))
  await vi.advanceTimersByTimeAsync(0)
  expect(service.pages()).toBe(20)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(service.pages()).toBeLessThan(700)
  stop.abort(new Error('enough'))
  expect(await ended).toMatchObject({ message: 'enough' })
  expect(vi.getTimerCount()).toBe(0)
})

it('a listing that goes on after hundreds of empty pages is complete, and fast again', async () => {
  const service = endless((page) => (page < 500 ? [] : [{ note_id: `n${page}`, revision: 1 }]), 600)
  const notes = drain(service.client.notes.list())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await notes).toBe(102)
})

it('the checkpoint of changes counts the pages, also in a loop for each page', async () => {
  const service = endless(() => [])
  let after: string | undefined
  const ended = errorOf(
    (async () => {
      for (;;) {
        for await (const page of service.client.notes.changes({ after })) {
          after = page.checkpoint
          break
        }
      }
    })(),
  )
  await untilSettled(ended)
  expect(await ended).toMatchObject({ code: 'listing_endless' })
  expect(service.pages()).toBe(10_000)
})

it('a sync that starts again, because the cursor is unknown, keeps the count', async () => {
  const service = endless(() => [])
  let pages = 0
  service.refuse = () => pages === 6_000
  const ended = errorOf(
    (async () => {
      for await (const _ of service.client.notes.changes()) pages += 1
    })(),
  )
  await untilSettled(ended)
  expect(await ended).toMatchObject({ code: 'listing_endless' })
  expect(pages).toBe(10_000)
})

/** A service in this process whose list has a cursor on each of its pages. */
function endless(notesOn: (page: number) => readonly unknown[] = () => [], lastPage = Number.POSITIVE_INFINITY) {
  let pages = 0
  const service = { client: undefined as unknown as NotesClient, pages: () => pages, refuse: () => false }
  service.client = new NotesClient({
    baseUrl: 'https://notes.example',
    apiKey: API_KEY,
    maxRetries: 0,
    async fetch(request) {
      const url = new URL(request.url)
      if (!url.pathname.endsWith('/notes')) return Response.json({ note_id: 'n1', revision: 1, text: '', markdown: '' })
      if (url.searchParams.has('cursor') && service.refuse()) return new Response(null, { status: 410 })
      pages += 1
      return Response.json({ notes: notesOn(pages), next_cursor: pages > lastPage ? null : `cursor ${pages}` })
    },
  })
  return service
}

async function drain(items: AsyncIterable<unknown> = Promise.reject(new Error('no call')) as never): Promise<number> {
  let count = 0
  for await (const _ of items) count += 1
  return count
}

async function untilSettled(promise: Promise<unknown>): Promise<void> {
  let isSettled = false
  void promise.then(() => {
    isSettled = true
  })
  while (!isSettled) await vi.advanceTimersByTimeAsync(60_000)
}
