import { NotewireError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY, CONTENT, KEY_ID, shownBy } from '../fixtures/secrets.ts'
import { serve, type WireAnswer } from '../fixtures/wire-server.ts'
import { NotesClientError } from './errors/notes-client-error.ts'
import { NotesClient } from './notes-client.ts'

describe('a client', () => {
  it('shows only the id of its key', () => {
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY })
    expect(client.keyId).toBe(KEY_ID)
    expect(shownBy(client)).not.toContain(SECRET)
  })

  it('has no key id for a key of another form', () => {
    expect(new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'another-form' }).keyId).toBeUndefined()
  })

  it('identifies a key with a key id by the key id, with any salt', async () => {
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY })
    const digest = expect.stringMatching(/^[0-9a-f]{32}$/)
    expect(await client.identifyKey('one')).toEqual({ kind: 'key_id', keyId: KEY_ID, digest })
    expect(await client.identifyKey('two')).toEqual({ kind: 'key_id', keyId: KEY_ID, digest })
  })

  it('identifies a key without an id by a digest that differs by key and by salt', async () => {
    const clientOf = (apiKey: string) => new NotesClient({ baseUrl: 'https://notes.example', apiKey })
    const identity = await clientOf('opaque-one').identifyKey('copy_1')
    expect(identity).toEqual({ kind: 'digest', digest: expect.stringMatching(/^[0-9a-f]{32}$/) })
    expect(await clientOf('opaque-one').identifyKey('copy_1')).toEqual(identity)
    expect(await { ...clientOf('opaque-one') }.identifyKey('copy_1')).toEqual(identity)
    expect(await clientOf('opaque-two').identifyKey('copy_1')).not.toEqual(identity)
    expect(await clientOf('opaque-one').identifyKey('copy_2')).not.toEqual(identity)
  })

  it('shows nothing of a key without an id', () => {
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'opaque-one' })
    expect(shownBy(client)).not.toContain('opaque-one')
  })

  it('refuses an empty salt', async () => {
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'opaque-one' })
    await expect(client.identifyKey('')).rejects.toMatchObject({ option: 'salt' })
  })

  it("returns the service's time of its latest response, also after an error", async () => {
    const dates = ['Thu, 01 Jan 2026 12:00:00 GMT', 'Thu, 01 Jan 2026 12:00:05 GMT', 'soon']
    await using server = await serve((_, count) => ({
      status: count === 2 ? 404 : 200,
      headers: { date: dates[count - 1] ?? '' },
      body: { note_id: 'n1', revision: 1 },
    }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 })
    expect(client.serviceTime()).toBeUndefined()
    await client.notes.get('n1')
    expect(client.serviceTime()).toEqual(new Date('2026-01-01T12:00:00Z'))
    await errorOf(client.notes.transcript('n1'))
    expect(client.serviceTime()).toEqual(new Date('2026-01-01T12:00:05Z'))
    await client.notes.get('n1')
    expect(client.serviceTime()).toBeUndefined()
  })

  it('refuses invalid options', () => {
    expect(() => new NotesClient({ baseUrl: 'http://notes.example', apiKey: API_KEY })).toThrow(NotewireError)
  })
})

describe('neither the API key nor note content', () => {
  it.each<[string, WireAnswer]>([
    ['401 that echoes the request', { status: 401, body: { error: { code: API_KEY, message: API_KEY } } }],
    ['500 that is named by the key', { status: 500, headers: { 'x-request-id': API_KEY } }],
    ['403 with a scope of free text', { status: 403, body: { error: { code: 'forbidden', scope: API_KEY } } }],
    ['404 and content', { status: 404, body: { error: { code: 'not_found', message: CONTENT } } }],
    ['429 and HTML', { status: 429, headers: { 'retry-after': '0' }, body: `<h1>${CONTENT} ${API_KEY}</h1>` }],
    ['500 and content', { status: 500, body: CONTENT }],
    ['a redirect with the key in it', { status: 302, headers: { location: `https://evil.example/?${API_KEY}` } }],
    ['HTML and success', { status: 200, body: `<p>${CONTENT} ${API_KEY}</p>` }],
    ['half a JSON', { status: 200, body: `{"note_id":"${CONTENT}` }],
    ['a note of another shape', { status: 200, body: { note_id: 'n1', revision: CONTENT, text: 7 } }],
    ['a closed connection', (response) => response.destroy()],
    ['a broken body', (response) => void response.writeHead(200).write(CONTENT, () => response.destroy())],
    ['no answer', () => {}],
  ])('is shown by an error after %s', async (_, answer) => {
    await using server = await serve(() => answer)
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, timeoutMs: 100, maxRetries: 1 })
    const calls = [
      client.notes.list()[Symbol.asyncIterator]().next(),
      client.notes.changes()[Symbol.asyncIterator]().next(),
      client.notes.listWithContent()[Symbol.asyncIterator]().next(),
      client.notes.get(CONTENT),
      client.notes.transcript(CONTENT),
      client.webhookEndpoints.create({ url: 'https://app.example', events: ['note.ended'] }),
      client.webhookEndpoints.update('e1', { url: `https://app.example/${API_KEY}` }),
    ]
    for (const error of await Promise.all(calls.map(errorOf))) {
      expect(error).toBeInstanceOf(NotesClientError)
      expect((error as NotesClientError).cause).toBeUndefined()
      expect(shownBy(error)).not.toContain(SECRET)
      expect(shownBy(error)).not.toContain(CONTENT)
      expect(shownBy(error)).not.toContain(encodeURIComponent(CONTENT))
    }
    expect(shownBy(client)).not.toContain(SECRET)
  })
})

const SECRET = API_KEY.slice(API_KEY.indexOf('.') + 1)
