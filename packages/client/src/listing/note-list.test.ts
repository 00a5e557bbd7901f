import { isTombstone, type Note } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { serve } from '../../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'

describe('a listing with any division into pages', () => {
  it('yields each note once and in order, with one request for each page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 12 }), async (shapes) => {
        const service = pagedService(shapes)
        expect((await Array.fromAsync(service.client.notes.list())).map((note) => note.note_id)).toEqual(
          service.noteIds,
        )
        expect(service.requests).toHaveLength(shapes.length)
      }),
    )
  })

  it('yields the same notes page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 12 }), async (shapes) => {
        const service = pagedService(shapes)
        const pages = await Array.fromAsync(service.client.notes.list().pages())
        expect(pages.flatMap((page) => page.notes.map((note) => note.note_id))).toEqual(service.noteIds)
        expect(pages.map((page) => page.has_more)).toEqual(shapes.map((_, index) => index < shapes.length - 1))
        expect(pages.at(-1)?.next_cursor).toBeNull()
      }),
    )
  })

  it('throws cursor_repeated if a cursor leads back', async () => {
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

  it('throws cursor_repeated if a cursor leads back to the first cursor', async () => {
    const service = pagedService([{ notes: 1, ending: 'plain', hasMore: true }], 0)
    const error = await errorOf(Array.fromAsync(service.client.notes.list({ cursor: 'cursor-0' })))
    expect(error).toMatchObject({ code: 'cursor_repeated' })
    expect(service.requests).toHaveLength(1)
  })
})

describe('a listing over HTTP', () => {
  it('sends the query with every page', async () => {
    await using server = await serve((_, count) => ({
      status: 200,
      body: { notes: [], has_more: count < 2, next_cursor: 'a b&c' },
    }))
    const query = { limit: 7, updated_after: new Date(0), include_deleted: true }
    await Array.fromAsync(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list(query))
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/notes?limit=7&updated_after=1970-01-01T00%3A00%3A00.000Z&include_deleted=true',
      '/v1/notes?limit=7&updated_after=1970-01-01T00%3A00%3A00.000Z&include_deleted=true&cursor=a+b%26c',
    ])
  })

  it('sends updated_after unchanged if it is a string, and starts at the cursor', async () => {
    await using server = await serve(() => ({ status: 200, body: { notes: [], has_more: false } }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    await Array.fromAsync(
      client.notes.list({ cursor: 'c9', updated_after: '2026-01-01T00:00Z', include_deleted: false }),
    )
    expect(server.requests[0]?.url).toBe('/v1/notes?cursor=c9&updated_after=2026-01-01T00%3A00Z&include_deleted=false')
  })

  it('yields tombstones as the service sends them', async () => {
    const body = {
      notes: [
        { note_id: 'n1', revision: 3, status: 'deleted' },
        { id: 'n2', revision: 1 },
      ],
      next_cursor: null,
    }
    await using server = await serve(() => ({ status: 200, body }))
    const notes = await Array.fromAsync(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list())
    expect(notes.map((note) => [note.note_id, isTombstone(note)])).toEqual([
      ['n1', true],
      ['n2', false],
    ])
  })

  it('names the option notesField if the field does not contain the notes', async () => {
    await using server = await serve(() => ({ status: 200, body: { items: [], has_more: false } }))
    const error = await errorOf(
      Array.fromAsync(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list()),
    )
    expect(error).toMatchObject({ code: 'invalid_response', path: 'notes' })
    expect(String(error)).toContain('notesField')
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, notesField: 'items' })
    expect(await Array.fromAsync(client.notes.list())).toEqual([])
  })

  it('leaves out a note that cannot be used, and names its path', async () => {
    const notes = [1, 2, 3, 4].map((number) => ({ note_id: `n${number}`, revision: number === 4 ? '4' : number }))
    await using server = await serve(() => ({
      status: 200,
      headers: { 'x-request-id': 'req-1' },
      body: { notes, has_more: false },
    }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    expect(await Array.fromAsync(client.notes.list())).toHaveLength(3)
    const error = { code: 'invalid_response', path: 'notes[3].revision', requestId: 'req-1' }
    const [page] = await Array.fromAsync(client.notes.list().pages())
    expect(page?.leftOut).toEqual([{ note_id: 'n4', error: expect.objectContaining(error) }])
  })

  it.each([400, 422])('throws cursor_expired if a later page answers %i invalid_cursor', async (status) => {
    await using server = await serve((_, count) =>
      count === 1
        ? { status: 200, body: { notes: [{ note_id: 'n1', revision: 1 }], has_more: true, next_cursor: 'c' } }
        : { status, body: { error: { code: 'invalid_cursor', message: 'expired' } } },
    )
    const error = await errorOf(
      Array.fromAsync(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY }).notes.list()),
    )
    expect(error).toMatchObject({ code: 'cursor_expired', status, serverCode: 'invalid_cursor' })
    expect(String(error)).toContain('Start the listing again')
  })
})

describe('a listing', () => {
  it('sends no request before the loop starts', () => {
    const service = pagedService(THREE_PAGES)
    service.client.notes.list().pages()
    expect(service.requests).toEqual([])
  })

  it('sends no request after the loop is left', async () => {
    const service = pagedService(THREE_PAGES)
    for await (const _ of service.client.notes.list()) break
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(service.requests).toHaveLength(1)
  })

  it('yields every note once and in order to concurrent calls of next', async () => {
    const pauses = fc.array(fc.nat({ max: 8 }), { minLength: 40, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.array(pageShape, { minLength: 1, maxLength: 6 }), pauses, async (shapes, ticks) => {
        const service = pagedService(shapes)
        const iterator = service.client.notes.list()[Symbol.asyncIterator]()
        const results: Promise<IteratorResult<Note>>[] = []
        for (const count of ticks) {
          results.push(iterator.next())
          for (let tick = 0; tick < count ** 2; tick += 1) await undefined
        }
        const settled = await Promise.all(results)
        const noteIds = settled.flatMap((result) => (result.done === true ? [] : [result.value.note_id]))
        expect(noteIds).toEqual(service.noteIds)
        expect(settled.findLastIndex((result) => result.done !== true)).toBe(noteIds.length - 1)
        expect(service.requests).toHaveLength(shapes.length)
      }),
    )
  })

  it('is done after return, also in the middle of a page', async () => {
    const service = pagedService(THREE_PAGES)
    const iterator = service.client.notes.list()[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(service.requests).toHaveLength(1)
  })

  it('starts again with each loop', async () => {
    const service = pagedService(THREE_PAGES)
    const notes = service.client.notes.list()
    expect(await Array.fromAsync(notes)).toEqual(await Array.fromAsync(notes))
    expect(service.requests).toHaveLength(6)
  })

  it('throws the reason of its signal at the next note, and sends no further request', async () => {
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

  it('throws the reason of its signal between two pages, also if fetch ignores signals', async () => {
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
  ])('throws at once an error that names %s, for the query %o', (option, query) => {
    const { client } = pagedService(THREE_PAGES)
    expect(() => client.notes.list(query as object)).toThrow(expect.objectContaining({ option }))
  })
})

interface PageShape {
  readonly notes: number
  /** The form of `next_cursor` on the last page. */
  readonly ending: 'plain' | 'null' | 'empty' | 'absent' | 'stale'
  /** Whether the page has the field `has_more`. */
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
      return { has_more: false }
  }
}
