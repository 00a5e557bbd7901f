import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { API_KEY, CONTENT, shownBy } from '../fixtures/secrets.ts'
import { NotesClient } from './notes-client.ts'
import type { DriftNotice } from './options/hooks.ts'

const NOTE_FIELDS = ['title', 'content', 'status', 'transcript_status', 'summary_status', 'created_at', 'updated_at']
const OPTIONAL = {
  note: [...NOTE_FIELDS, 'ended_at', 'deleted_at', 'owner'],
  segment: ['speaker', 'start_ms', 'end_ms'],
  endpoint: ['url', 'events', 'status', 'created_at'],
}
const OTHER_TYPES = [7, true, [], [7], {}, { type: 7 }, { type: 'channel', channel_id: 7 }, 'text', null, [CONTENT]]

const note = (note_id: string, fields: object = {}) => ({ note_id, revision: 1, title: CONTENT, ...fields })
const mistyped = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...OTHER_TYPES)])), { requiredKeys: [] })

/** A client of a service with these responses, and the notices of its hook. */
function clientOf(answers: Readonly<Record<string, unknown>>) {
  const drift: DriftNotice[] = []
  const fetch = async (request: Request) => Response.json(answers[new URL(request.url).pathname])
  const hooks = { onDrift: (notice: DriftNotice) => void drift.push(notice) }
  return { drift, client: new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, hooks }) }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  return await Array.fromAsync(items)
}

describe('an optional field of another type (row 39)', () => {
  it('is absent and reported, by name and types', async () => {
    const { client, drift } = clientOf({
      '/v1/notes': {
        notes: [note('n1', { owner: CONTENT, content: [CONTENT], created_at: 7 }), note('n2')],
        has_more: false,
      },
    })
    expect(await all(client.notes.list())).toStrictEqual([note('n1'), note('n2')])
    expect(drift).toEqual([
      { resource: 'note', field: 'content', expected: 'string', found: 'array' },
      { resource: 'note', field: 'created_at', expected: 'string', found: 'number' },
      { resource: 'note', field: 'owner', expected: 'object', found: 'string' },
    ])
    expect(shownBy(drift)).not.toContain(CONTENT)
  })

  it('in an object or an array of a resource is absent by itself', async () => {
    const { client, drift } = clientOf({
      '/v1/notes/n1': note('n1', { owner: { type: 'channel', channel_id: 7 } }),
      '/v1/notes/n1/transcript': { note_id: 'n1', text: '', segments: [{ text: 'Hello.', start_ms: 'soon' }] },
      '/v1/webhook-endpoints/e1': { endpoint_id: 'e1', url: 7, events: ['note.ended', 7], status: [] },
    })
    expect(await client.notes.get('n1')).toStrictEqual(note('n1', { owner: { type: 'channel' } }))
    expect((await client.notes.transcript('n1')).segments).toStrictEqual([{ text: 'Hello.' }])
    expect(await client.webhookEndpoints.get('e1')).toStrictEqual({ endpoint_id: 'e1' })
    expect(drift.map(({ resource, field, found }) => `${resource}.${field} ${found}`)).toEqual([
      'note.owner.channel_id number',
      'transcript.segments.start_ms string',
      'webhook_endpoint.url number',
      'webhook_endpoint.events number',
      'webhook_endpoint.status array',
    ])
  })

  it('never makes a call fail', async () => {
    const anything = fc.record({
      fields: mistyped(OPTIONAL.note),
      segments: fc.oneof(
        fc.constantFrom<unknown>(...OTHER_TYPES.filter((type) => !Array.isArray(type))),
        fc.array(mistyped(OPTIONAL.segment)),
      ),
      status: fc.constantFrom(...OTHER_TYPES),
      endpoint: mistyped(OPTIONAL.endpoint),
    })
    await fc.assert(
      fc.asyncProperty(anything, async ({ fields, segments, status, endpoint }) => {
        const listed = note('n1', fields)
        const lines = Array.isArray(segments) ? segments.map((segment) => ({ text: 'Hello.', ...segment })) : segments
        const { client, drift } = clientOf({
          '/v1/notes': { notes: [note('n0'), listed, note('n2')], has_more: false },
          '/v1/notes/n1': listed,
          '/v1/notes/n1/transcript': { note_id: 'n1', text: CONTENT, segments: lines },
          '/v1/notes/n1/summary': { note_id: 'n1', status, markdown: CONTENT },
          '/v1/webhook-endpoints': [{ endpoint_id: 'e0' }, { endpoint_id: 'e1', ...endpoint }],
        })
        const ids = (notes: readonly { note_id: string }[]) => notes.map(({ note_id }) => note_id)
        expect(ids(await all(client.notes.list()))).toEqual(['n0', 'n1', 'n2'])
        for await (const page of client.notes.changes()) expect(ids(page.notes)).toEqual(['n0', 'n1', 'n2'])
        const read = await client.notes.get('n1')
        expect(read).toMatchObject({ note_id: 'n1', revision: 1 })
        expect((await client.notes.content({ note_id: 'n1', revision: 1 })).transcript.status).toBe('ready')
        expect((await client.notes.summary('n1')).markdown).toBe(CONTENT)
        expect(await client.webhookEndpoints.list()).toHaveLength(2)
        for (const name of OPTIONAL.note.filter((name) => name !== 'owner')) {
          const value = Reflect.get(listed, name)
          const isRight = typeof value === 'string' || value === null
          if (isRight) expect(read).toHaveProperty(name, value)
          else expect(read).not.toHaveProperty(name)
          if (!isRight && value !== undefined) expect(drift.map(({ field }) => field)).toContain(name)
        }
        expect(shownBy(drift)).not.toContain(CONTENT)
      }),
    )
  })
})

describe('a required field of another type (row 39)', () => {
  it.each([
    ['/v1/notes/n1', { note_id: 7, revision: 1 }, 'note_id'],
    ['/v1/notes/n1', { note_id: 'n1', revision: '1' }, 'revision'],
    ['/v1/notes/n1/transcript', { note_id: 'n1', text: [] }, 'text'],
    ['/v1/notes/n1/transcript', { note_id: 'n1', text: '', segments: [{ text: 7 }] }, 'segments[0].text'],
    ['/v1/notes/n1/transcript', { note_id: 'n1', text: '', revision: '1' }, 'revision'],
    ['/v1/notes/n1/summary', { note_id: 'n1', markdown: 7 }, 'markdown'],
  ])('is a typed error that names the path: %s %j', async (path, body, field) => {
    const { client } = clientOf({ [path]: body })
    const calls = {
      '/v1/notes/n1': () => client.notes.get('n1'),
      '/v1/notes/n1/transcript': () => client.notes.transcript('n1'),
      '/v1/notes/n1/summary': () => client.notes.summary('n1'),
    }
    await expect(calls[path as keyof typeof calls]()).rejects.toMatchObject({ code: 'invalid_response', path: field })
  })

  const UNUSABLE = [{ note_id: 'n1', revision: '1', title: CONTENT }, { note_id: 7, revision: 1 }, 7]

  it('leaves a listed note out, and reports it', async () => {
    const notes = [note('n0'), ...UNUSABLE, note('n2')]
    const { client, drift } = clientOf({ '/v1/notes': { notes, has_more: false } })
    expect(await all(client.notes.list())).toEqual([note('n0'), note('n2')])
    const [page] = await all(client.notes.list().pages())
    expect(page?.leftOut).toEqual([
      { note_id: 'n1', error: expect.objectContaining({ code: 'invalid_response', path: 'notes[1].revision' }) },
      { note_id: undefined, error: expect.objectContaining({ code: 'invalid_response', path: 'notes[2].note_id' }) },
      { note_id: undefined, error: expect.objectContaining({ code: 'invalid_response', path: 'notes[3]' }) },
    ])
    const [changes] = await all(client.notes.changes())
    expect(changes?.leftOut).toEqual(page?.leftOut)
    expect(drift).toEqual([
      { resource: 'note', field: 'revision', expected: 'a whole number from 0 to 9007199254740991', found: 'string' },
      { resource: 'note', field: 'note_id', expected: 'string', found: 'number' },
      { resource: 'note', field: '?', expected: 'object', found: 'number' },
    ])
    expect(shownBy([drift, page?.leftOut])).not.toContain(CONTENT)
  })

  it.each(['9007199254740992', '9007199254740993', '1e400'])(
    'is a revision that would be rounded: %s',
    async (revision) => {
      const record = `{"note_id":"n1","revision":${revision},"text":"","markdown":"","status":"ready"}`
      const page = `{"notes":[${record}],"has_more":false}`
      const fetch = async ({ url }: Request) =>
        new Response(new URL(url).pathname === '/v1/notes' ? page : record, {
          headers: { 'content-type': 'application/json' },
        })
      const { notes } = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch })
      for (const part of ['get', 'transcript', 'summary'] as const) {
        await expect(notes[part]('n1')).rejects.toMatchObject({
          code: 'invalid_response',
          path: 'revision',
          message: expect.stringContaining('from 0 to 9007199254740991'),
        })
      }
      expect(await all(notes.list())).toEqual([])
      expect((await all(notes.changes()))[0]?.leftOut).toMatchObject([{ note_id: 'n1' }])
    },
  )

  it('is still an error in the page itself', async () => {
    for (const page of [{ notes: [], has_more: 'no' }, { notes: [], next_cursor: 7 }, { notes: {} }]) {
      await expect(all(clientOf({ '/v1/notes': page }).client.notes.list())).rejects.toMatchObject({
        code: 'invalid_response',
      })
    }
  })

  it('leaves a listed endpoint out', async () => {
    const { client, drift } = clientOf({ '/v1/webhook-endpoints': [{ endpoint_id: 7 }, { endpoint_id: 'e1' }] })
    expect(await client.webhookEndpoints.list()).toEqual([{ endpoint_id: 'e1' }])
    expect(drift).toEqual([{ resource: 'webhook_endpoint', field: 'endpoint_id', expected: 'string', found: 'number' }])
  })

  it.each(UNUSABLE)('never makes a service without single reads answer not_found: %j', async (unusable) => {
    const fetch = async (request: Request) => {
      const isList = new URL(request.url).pathname === '/v1/notes'
      return isList
        ? Response.json({ notes: [unusable, note('n2')], has_more: false })
        : new Response(null, { status: 404 })
    }
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch })
    await expect(client.notes.get('n1')).rejects.toMatchObject({ code: 'invalid_response' })
    expect(client.notes.readsFromList).toBe(true)
    await expect(client.notes.get('n2')).resolves.toEqual(note('n2'))
  })
})
