import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NotFoundError } from './errors/api-error.ts'
import { errorOf } from './fixtures/error-of.ts'
import { API_KEY } from './fixtures/secrets.ts'
import { serve, type WireAnswer, type WireServer } from './fixtures/wire-server.ts'
import { NotesClient } from './notes-client.ts'

const NOT_FOUND: WireAnswer = { status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } }

describe('a service that offers the reading of one note', () => {
  it('is asked for it directly', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1', 'n2'] })
    const client = clientOf(server)
    expect(await client.notes.get('n2')).toMatchObject({ note_id: 'n2' })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests).toHaveLength(1)
  })

  it('is believed when it says 404, since a note that it lists can be read', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/notes/n9', '/v1/notes?limit=2', '/v1/notes/n1'])
  })

  it('is believed without another question once it has answered one', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found' })
    expect(server.requests).toHaveLength(2)
  })

  it('is not called missing because of one listed note that left before it was read', async () => {
    const listed = {
      notes: [
        { note_id: 'n1', revision: 1 },
        { note_id: 'n2', revision: 1 },
      ],
    }
    await using server = await serve(({ url }) => {
      if (url === '/v1/notes/n2') return { status: 200, body: listed.notes[1] }
      return url === '/v1/notes?limit=2' ? { status: 200, body: listed } : NOT_FOUND
    })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found' })
    expect(client.notes.readsFromList).toBe(false)
  })

  it('is believed when it lists nothing', async () => {
    await using server = await serveNotes({ reads: 'offered', live: [] })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(client.notes.readsFromList).toBe(false)
  })

  it('may answer 404 for deleted notes', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'], deleted: ['n2'] })
    expect(await errorOf(clientOf(server).notes.get('n2'))).toMatchObject({ code: 'not_found' })
  })
})

describe.each([404, 405, 501] as const)('a service that answers %i because it only lists notes', (status) => {
  it('has the note looked up in its list, on whatever page it is', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1', 'n2', 'n3'] })
    const client = clientOf(server)
    expect(await client.notes.get('n3')).toMatchObject({ note_id: 'n3', revision: 1 })
    expect(client.notes.readsFromList).toBe(true)
  })

  it('has deleted notes found as well, as tombstones', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'], deleted: ['n2'] })
    expect(await clientOf(server).notes.get('n2')).toMatchObject({ note_id: 'n2', status: 'deleted' })
  })

  it('is not asked again for what it does not offer', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    const asked = server.requests.length
    await client.notes.get('n1')
    expect(server.requests.slice(asked).map(({ url }) => url)).toEqual(['/v1/notes?limit=100&include_deleted=true'])
  })

  it('refuses an id that names no note all the same', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    expect(await errorOf(client.notes.get(''))).toMatchObject({ option: 'note_id' })
  })

  it('ends with not_found when the list does not hold the note', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1', 'n2'] })
    const error = await errorOf(clientOf(server).notes.get('n9'))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ code: 'not_found', operation: 'GET /v1/notes', status: 200 })
  })
})

describe('a service whose replicas answered 404 for two notes that it lists', () => {
  it('is asked for single notes again after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let isLagging = true
    const note = { note_id: 'n1', revision: 1 }
    await using server = await serve(({ url }) => {
      if (url.startsWith('/v1/notes?')) return { status: 200, body: { notes: [note, { note_id: 'n2', revision: 1 }] } }
      return isLagging || url !== '/v1/notes/n1' ? NOT_FOUND : { status: 200, body: note }
    })
    const { notes } = clientOf(server)
    expect(await notes.get('n1')).toMatchObject(note)
    expect(notes.readsFromList).toBe(true)
    isLagging = false
    vi.advanceTimersByTime(10 * 60_000)
    expect(notes.readsFromList).toBe(false)
    const before = server.requests.length
    expect(await notes.get('n1')).toMatchObject(note)
    expect(server.requests.slice(before).map(({ url }) => url)).toEqual(['/v1/notes/n1'])
    vi.advanceTimersByTime(60 * 60_000)
    expect(await errorOf(notes.get('n9'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(notes.readsFromList).toBe(false)
  })
})

describe('any other failure to read a note', () => {
  it.each([401, 403, 500])('is not taken for a missing operation: %i', async (status) => {
    await using server = await serve(() => ({ status }))
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n1'))).toMatchObject({ status })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests).toHaveLength(1)
  })

  it('is told as it is when it comes up while finding out', async () => {
    await using server = await serve(({ url }) => (url === '/v1/notes?limit=2' ? { status: 500 } : NOT_FOUND))
    expect(await errorOf(clientOf(server).notes.get('n1'))).toMatchObject({ code: 'server_error' })
  })
})

interface ServedNotes {
  /** How a note is read: as it should be, or always with this status. */
  readonly reads: 'offered' | 404 | 405 | 501
  readonly live: readonly string[]
  readonly deleted?: readonly string[]
}

/** A service with one note a page. */
function serveNotes({ reads, live, deleted = [] }: ServedNotes): Promise<WireServer> {
  const notes = [
    ...live.map((note_id) => ({ note_id, revision: 1, status: 'ended' })),
    ...deleted.map((note_id) => ({ note_id, revision: 2, status: 'deleted' })),
  ]
  return serve(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://notes')
    if (pathname !== '/v1/notes') {
      if (reads !== 'offered') return { status: reads, body: 'no such route' }
      const note = notes.find(({ note_id, status }) => pathname === `/v1/notes/${note_id}` && status !== 'deleted')
      return note === undefined ? NOT_FOUND : { status: 200, body: note }
    }
    const listed = notes.filter(({ status }) => status !== 'deleted' || searchParams.has('include_deleted'))
    const index = Number(searchParams.get('cursor') ?? 0)
    const has_more = index < listed.length - 1
    return {
      status: 200,
      body: { notes: listed.slice(index, index + 1), has_more, next_cursor: has_more ? `${index + 1}` : null },
    }
  })
}

function clientOf(server: WireServer): NotesClient {
  return new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 })
}
