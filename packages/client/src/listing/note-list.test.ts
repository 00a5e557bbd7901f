import { isTombstone, type Note } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY } from '../fixtures/secrets.ts'
import { serve } from '../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'

describe('any list of notes, however it is cut into pages', () => {
  it('is yielded whole, each note once and in order, with one request a page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 12 }), async (shapes) => {
        const service = pagedService(shapes)
        expect((await collect(service.client.notes.list())).map((note) => note.note_id)).toEqual(service.noteIds)
        expect(service.requests).toHaveLength(shapes.length)
      }),
    )
  })

  it('is the same page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 12 }), async (shapes) => {
        const service = pagedService(shapes)
        const pages = await collect(service.client.notes.list().pages())
        expect(pages.flatMap((page) => page.notes.map((note) => note.note_id))).toEqual(service.noteIds)
        expect(pages.map((page) => page.has_more)).toEqual(shapes.map((_, index) => index < shapes.length - 1))
        expect(pages.at(-1)?.next_cursor).toBeNull()
      }),
    )
  })

  it('ends with cursor_repeated, and never runs for ever, when a cursor leads back', async () => {
    const circles = fc
      .array(pageShape, { minLength: 1, maxLength: 12 })
      .chain((shapes) => fc.tuple(fc.constant(shapes), fc.nat({ max: shapes.length - 1 })))
    await fc.assert(
      fc.asyncProperty(circles, async ([shapes, backTo]) => {
        const service = pagedService(shapes, backTo)
        const seen: string[] = []
        const error = await errorOf(
          (async () => {
            for await (const note of service.client.notes.list()) seen.push(note.note_id)
          })(),
        )
        expect(error).toMatchObject({ code: 'cursor_repeated', operation: 'GET /v1/notes' })
        expect(new Set(seen).size).toBe(seen.length)
        expect(service.requests.length).toBeLessThanOrEqual(shapes.length + 1)
      }),
    )
  })

  it('takes the cursor that it started from for met', async () => {
    const service = pagedService([{ notes: 1, ending: 'plain', hasMore: true }], 0)
    const error = await errorOf(collect(service.client.notes.list({ cursor: 'cursor-0' })))
    expect(error).toMatchObject({ code: 'cursor_repeated' })
    expect(service.requests).toHaveLength(1)
  })
})

describe('a listing on the wire', () => {
  it('sends the query in the names of the wire, and on every page', async () => {
    await using server = await serve((_, count) => ({
      status: 200,
      body: { notes: [], has_more: count < 2, next_cursor: 'a b&c' },
    }))
    const query = { limit: 7, updated_after: new Date(0), include_deleted: true }
    await collect(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list(query))
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/notes?limit=7&updated_after=1970-01-01T00%3A00%3A00.000Z&include_deleted=true',
      '/v1/notes?limit=7&updated_after=1970-01-01T00%3A00%3A00.000Z&include_deleted=true&cursor=a+b%26c',
    ])
  })

  it('sends updated_after as it is when it is text, and begins where the cursor says', async () => {
    await using server = await serve(() => ({ status: 200, body: { notes: [] } }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    await collect(client.notes.list({ cursor: 'c9', updated_after: '2026-01-01T00:00Z', include_deleted: false }))
    expect(server.requests[0]?.url).toBe('/v1/notes?cursor=c9&updated_after=2026-01-01T00%3A00Z&include_deleted=false')
  })

  it('yields tombstones as the service sends them', async () => {
    const body = {
      notes: [
        { note_id: 'n1', revision: 3, status: 'deleted' },
        { id: 'n2', revision: 1 },
      ],
    }
    await using server = await serve(() => ({ status: 200, body }))
    const notes = await collect(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list())
    expect(notes.map((note) => [note.note_id, isTombstone(note)])).toEqual([
      ['n1', true],
      ['n2', false],
    ])
  })

  it('names the option notesField when the notes are not where it looks', async () => {
    await using server = await serve(() => ({ status: 200, body: { items: [] } }))
    const error = await errorOf(collect(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list()))
    expect(error).toMatchObject({ code: 'invalid_response', path: 'notes' })
    expect(String(error)).toContain('notesField')
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, notesField: 'items' })
    expect(await collect(client.notes.list())).toEqual([])
  })

  it('names the path of a note that cannot be read', async () => {
    const notes = [1, 2, 3, 4].map((number) => ({ note_id: `n${number}`, revision: number === 4 ? '4' : number }))
    await using server = await serve(() => ({ status: 200, headers: { 'x-request-id': 'req-1' }, body: { notes } }))
    const error = await errorOf(collect(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list()))
    expect(error).toMatchObject({ code: 'invalid_response', path: 'notes[3].revision', requestId: 'req-1' })
  })

  it.each([400, 422])('ends with cursor_expired when a later page answers %i invalid_cursor', async (status) => {
    await using server = await serve((_, count) =>
      count === 1
        ? { status: 200, body: { notes: [{ note_id: 'n1', revision: 1 }], has_more: true, next_cursor: 'c' } }
        : { status, body: { error: { code: 'invalid_cursor', message: 'expired' } } },
    )
    const error = await errorOf(collect(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list()))
    expect(error).toMatchObject({ code: 'cursor_expired', status, serverCode: 'invalid_cursor' })
    expect(String(error)).toContain('Start the listing again')
  })
})

describe('a listing', () => {
  it('sends nothing before it is looped over', () => {
    const service = pagedService(THREE_PAGES)
    service.client.notes.list().pages()
    expect(service.requests).toEqual([])
  })

  it('sends nothing more after the loop is left', async () => {
    const service = pagedService(THREE_PAGES)
    for await (const _ of service.client.notes.list()) break
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(service.requests).toHaveLength(1)
  })

  it('gives every note once, in the order in which they were asked for, however many are asked for at once', async () => {
    const pauses = fc.array(fc.nat({ max: 8 }), { minLength: 40, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 6 }), pauses, async (shapes, ticks) => {
        const service = pagedService(shapes)
        const iterator = service.client.notes.list()[Symbol.asyncIterator]()
        const asked: Promise<IteratorResult<Note>>[] = []
        for (const count of ticks) {
          asked.push(iterator.next())
          for (let tick = 0; tick < count ** 2; tick += 1) await undefined
        }
        const results = await Promise.all(asked)
        const noteIds = results.flatMap((result) => (result.done === true ? [] : [result.value.note_id]))
        expect(noteIds).toEqual(service.noteIds)
        expect(results.findLastIndex((result) => result.done !== true)).toBe(noteIds.length - 1)
        expect(service.requests).toHaveLength(shapes.length)
      }),
    )
  })

  it('is over once it was left, also in the middle of a page', async () => {
    const service = pagedService(THREE_PAGES)
    const iterator = service.client.notes.list()[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(service.requests).toHaveLength(1)
  })

  it('can be looped over again, from the start', async () => {
    const service = pagedService(THREE_PAGES)
    const notes = service.client.notes.list()
    expect(await collect(notes)).toEqual(await collect(notes))
    expect(service.requests).toHaveLength(6)
  })

  it('ends with the reason of its signal at the next note, and sends nothing more', async () => {
    const service = pagedService(THREE_PAGES)
    const controller = new AbortController()
    const seen: Note[] = []
    const loop = async () => {
      for await (const note of service.client.notes.list({}, { signal: controller.signal })) {
        seen.push(note)
        controller.abort(new Error('enough'))
      }
    }
    await expect(loop()).rejects.toThrow('enough')
    expect(seen).toHaveLength(1)
    expect(service.requests).toHaveLength(1)
  })

  it('ends with the reason of its signal between two pages, also when fetch does not look at signals', async () => {
    const service = pagedService(THREE_PAGES)
    const controller = new AbortController()
    const loop = async () => {
      for await (const _ of service.client.notes.list({}, { signal: controller.signal }).pages()) {
        controller.abort(new Error('enough'))
      }
    }
    await expect(loop()).rejects.toThrow('enough')
    expect(service.requests).toHaveLength(1)
  })

  it.each([
    ['updatedAfter', { updatedAfter: '2026-01-01T00:00Z' }],
    ['cursor', { cursor: '' }],
    ['cursor', { cursor: null }],
    ['updated_after', { updated_after: new Date('yesterday') }],
    ['updated_after', { updated_after: 1_767_225_600 }],
  ])('is refused at once, naming %s, for the query %o', (option, query) => {
    const { client } = pagedService(THREE_PAGES)
    expect(() => client.notes.list(query as object)).toThrow(expect.objectContaining({ option }))
  })
})

interface PageShape {
  readonly notes: number
  /** What the last page says of the cursor. */
  readonly ending: 'plain' | 'null' | 'empty' | 'absent' | 'stale'
  /** Whether the page says `has_more`, which only `next_cursor` makes redundant. */
  readonly hasMore: boolean
}

const pageShape: fc.Arbitrary<PageShape> = fc.record({
  notes: fc.nat({ max: 4 }),
  ending: fc.constantFrom('plain', 'null', 'empty', 'absent', 'stale'),
  hasMore: fc.boolean(),
})

const THREE_PAGES: readonly PageShape[] = [2, 0, 3].map((notes) => ({ notes, ending: 'null', hasMore: true }))

/** A service in the same process whose list has these pages; the last one ends it, or leads `backTo` an earlier one. */
function pagedService(shapes: readonly PageShape[], backTo?: number) {
  const pages = shapes.map((shape, page) =>
    Array.from({ length: shape.notes }, (_, index) => ({ note_id: `note-${page}-${index}`, revision: index })),
  )
  const requests: Request[] = []
  const client = new NotesClient({
    baseUrl: 'https://notes.example',
    apiKey: API_KEY,
    async fetch(request) {
      requests.push(request)
      const index = Number(new URL(request.url).searchParams.get('cursor')?.replace('cursor-', '') ?? 0)
      const shape = shapes[index] as PageShape
      const isLast = index === shapes.length - 1
      if (isLast && backTo === undefined) return Response.json({ notes: pages[index], ...endOf(shape) })
      const next = `cursor-${isLast ? backTo : index + 1}`
      return Response.json({ notes: pages[index], next_cursor: next, ...(shape.hasMore && { has_more: true }) })
    },
  })
  return { client, requests, noteIds: pages.flat().map((note) => note.note_id) }
}

function endOf({ ending, hasMore }: PageShape) {
  switch (ending) {
    case 'stale':
      return { next_cursor: 'cursor-0', has_more: false }
    case 'null':
      return { next_cursor: null, ...(hasMore && { has_more: false }) }
    case 'empty':
      return { next_cursor: '', ...(hasMore && { has_more: false }) }
    default:
      return hasMore ? { has_more: false } : {}
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}
