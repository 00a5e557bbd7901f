import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY } from '../fixtures/secrets.ts'
import { serve, type WireAnswer, type WireServer } from '../fixtures/wire-server.ts'
import { NotFoundError } from './errors/api-error.ts'
import { NotesClient } from './notes-client.ts'

const NOT_FOUND: WireAnswer = { status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } }

describe('notes.get, if the service can read one note', () => {
  it('sends one request', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1', 'n2'] })
    const client = clientOf(server)
    expect(await client.notes.get('n2')).toMatchObject({ note_id: 'n2' })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests).toHaveLength(1)
  })

  it('throws not_found after a 404 if a listed note can be read', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/notes/n9', '/v1/notes?limit=2', '/v1/notes/n1'])
  })

  it('throws not_found after a 404 without further requests once it has read a note', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found' })
    expect(server.requests).toHaveLength(2)
  })

  it('throws not_found after a 404 if one of two listed notes was deleted before it was read', async () => {
    const listed = {
      notes: [
        { note_id: 'n1', revision: 1 },
        { note_id: 'n2', revision: 1 },
      ],
      has_more: false,
    }
    await using server = await serve(({ url }) => {
      if (url === '/v1/notes/n2') return { status: 200, body: listed.notes[1] }
      return url === '/v1/notes?limit=2' ? { status: 200, body: listed } : NOT_FOUND
    })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found' })
    expect(client.notes.readsFromList).toBe(false)
  })

  it('throws not_found after a 404 if the list is empty', async () => {
    await using server = await serveNotes({ reads: 'offered', live: [] })
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n9'))).toMatchObject({ code: 'not_found', status: 404 })
    expect(client.notes.readsFromList).toBe(false)
  })

  it('throws not_found for a deleted note that answers 404', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'], deleted: ['n2'] })
    expect(await errorOf(clientOf(server).notes.get('n2'))).toMatchObject({ code: 'not_found' })
  })
})

describe.each([404, 405, 501] as const)('notes.get, if the service cannot read one note and answers %i', (status) => {
  it('finds the note on any page of the list', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1', 'n2', 'n3'] })
    const client = clientOf(server)
    expect(await client.notes.get('n3')).toMatchObject({ note_id: 'n3', revision: 1 })
    expect(client.notes.readsFromList).toBe(true)
  })

  it('finds a deleted note as a tombstone', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'], deleted: ['n2'] })
    expect(await clientOf(server).notes.get('n2')).toMatchObject({ note_id: 'n2', status: 'deleted' })
  })

  it('only lists notes from then on', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    const asked = server.requests.length
    await client.notes.get('n1')
    expect(server.requests.slice(asked).map(({ url }) => url)).toEqual(['/v1/notes?limit=100&include_deleted=true'])
  })

  it('refuses an invalid id', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1'] })
    const client = clientOf(server)
    await client.notes.get('n1')
    expect(await errorOf(client.notes.get(''))).toMatchObject({ option: 'note_id' })
  })

  it('throws not_found if the list does not contain the note', async () => {
    await using server = await serveNotes({ reads: status, live: ['n1', 'n2'] })
    const error = await errorOf(clientOf(server).notes.get('n9'))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toMatchObject({ code: 'not_found', operation: 'GET /v1/notes', status: 200 })
  })
})

describe('notes.find', () => {
  it('returns a note with one request', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    expect(await clientOf(server).notes.find('n1')).toMatchObject({ note_id: 'n1' })
    expect(server.requests).toHaveLength(1)
  })

  it('returns undefined after a 404 if a listed note can be read, after each 404', async () => {
    await using server = await serveNotes({ reads: 'offered', live: ['n1'] })
    const client = clientOf(server)
    for (const _ of [1, 2]) {
      const before = server.requests.length
      expect(await client.notes.find('n9')).toBeUndefined()
      const asked = server.requests.slice(before).map(({ url }) => url)
      expect(asked).toEqual(['/v1/notes/n9', '/v1/notes?limit=2', '/v1/notes/n1'])
    }
  })

  it('returns a listed note while a service that has returned notes answers 404 for each of them', async () => {
    const note = { note_id: 'n1', revision: 1 }
    let isFailing = false
    await using server = await serve(({ url }) => {
      if (url.startsWith('/v1/notes?')) return { status: 200, body: { notes: [note], has_more: false } }
      return isFailing ? NOT_FOUND : { status: 200, body: note }
    })
    const { notes } = clientOf(server)
    await notes.find('n1')
    isFailing = true
    expect(await notes.find('n1')).toMatchObject(note)
    expect(await notes.find('n9')).toBeUndefined()
    expect(notes.readsFromList).toBe(false)
  })

  it('looks for the notes of concurrent calls in one list, which it reads no further than to the last of them', async () => {
    await using server = await serveNotes({ reads: 404, live: ['n1', 'n2', 'n3', 'n4'], deleted: ['n5'] })
    const { notes } = clientOf(server)
    await notes.find('n1')
    const pagesFor = async (...noteIds: readonly string[]) => {
      const before = server.requests.length
      const found = await Promise.all(noteIds.map((noteId) => notes.find(noteId)))
      return { found, pages: server.requests.length - before }
    }
    expect(await pagesFor('n3', 'n1')).toMatchObject({ found: [{ note_id: 'n3' }, { note_id: 'n1' }], pages: 3 })
    const all = await pagesFor('n2', 'n9', 'n5')
    expect(all).toMatchObject({ found: [{ note_id: 'n2' }, undefined, { status: 'deleted' }], pages: 5 })
  })

  it('throws invalid_response for a record that cannot be used and may be the note', async () => {
    const listed = [{ note_id: 'n1', revision: 1 }, { note_id: 'n2' }, { revision: 3 }]
    await using server = await serve(({ url }) =>
      url.startsWith('/v1/notes?') ? { status: 200, body: { notes: listed, has_more: false } } : { status: 405 },
    )
    const { notes } = clientOf(server)
    expect(await notes.find('n1')).toMatchObject({ note_id: 'n1' })
    expect(await errorOf(notes.find('n2'))).toMatchObject({ code: 'invalid_response' })
    expect(await errorOf(notes.find('n9'))).toMatchObject({ code: 'invalid_response' })
  })

  it('throws other errors, also those of the check after a 404', async () => {
    let listStatus = 500
    await using server = await serve(({ url }) => {
      if (url.startsWith('/v1/notes?')) return { status: listStatus }
      return url === '/v1/notes/n1' ? { status: 403 } : NOT_FOUND
    })
    const { notes } = clientOf(server)
    expect(await errorOf(notes.find('n1'))).toMatchObject({ code: 'forbidden' })
    expect(await errorOf(notes.find('n9'))).toMatchObject({ code: 'server_error' })
    listStatus = 401
    expect(await errorOf(notes.find('n9'))).toMatchObject({ code: 'unauthorized' })
  })
})

describe('notes.get, after lagging replicas answered 404 for two listed notes', () => {
  it('tries to read single notes again after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let isLagging = true
    const note = { note_id: 'n1', revision: 1 }
    await using server = await serve(({ url }) => {
      if (url.startsWith('/v1/notes?'))
        return { status: 200, body: { notes: [note, { note_id: 'n2', revision: 1 }], has_more: false } }
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

describe('another failure of notes.get', () => {
  it.each([401, 403, 500])('does not mean that the operation is missing: %i', async (status) => {
    await using server = await serve(() => ({ status }))
    const client = clientOf(server)
    expect(await errorOf(client.notes.get('n1'))).toMatchObject({ status })
    expect(client.notes.readsFromList).toBe(false)
    expect(server.requests).toHaveLength(1)
  })

  it('is thrown if it happens while the client checks whether the operation is missing', async () => {
    await using server = await serve(({ url }) => (url === '/v1/notes?limit=2' ? { status: 500 } : NOT_FOUND))
    expect(await errorOf(clientOf(server).notes.get('n1'))).toMatchObject({ code: 'server_error' })
  })
})

interface ServedNotes {
  /** Whether single notes can be read, or the status of every such request. */
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
