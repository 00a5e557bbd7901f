import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY, CONTENT, shownBy } from '../fixtures/secrets.ts'
import { serve, type WireAnswer } from '../fixtures/wire-server.ts'
import { NotesClient } from './notes-client.ts'

describe('a note', () => {
  it('is read with the key, and keeps unknown fields and values', async () => {
    await using server = await serve(() => ({
      status: 200,
      body: { note_id: 'a/b', revision: 4, title: 'Stand-up', status: 'archived', mood: 'bright' },
    }))
    const note = await clientOf(server).notes.get('a/b')
    expect(note).toEqual({ note_id: 'a/b', revision: 4, title: 'Stand-up', status: 'archived', mood: 'bright' })
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        url: '/v1/notes/a%2Fb',
        headers: { authorization: `Bearer ${API_KEY}`, accept: 'application/json' },
      },
    ])
  })
})

describe('a transcript', () => {
  const transcript = {
    note_id: 'n1',
    revision: 2,
    text: 'Hello.',
    segments: [{ speaker: null, start_ms: 0, end_ms: 900, text: 'Hello.' }],
  }

  it('is read', async () => {
    await using server = await serve(() => ({ status: 200, body: transcript }))
    expect(await clientOf(server).notes.transcript('n1')).toEqual(transcript)
    expect(server.requests[0]?.url).toBe('/v1/notes/n1/transcript')
  })
})

describe('a summary', () => {
  it.each([
    [{ note_id: 'n1', revision: 2, status: 'ready', markdown: '# Hi' }, '# Hi'],
    [{ note_id: 'n1', revision: 2, status: 'pending', markdown: null }, null],
    [{ note_id: 'n1', status: 'missing' }, null],
  ])('is read: %j', async (body, markdown) => {
    await using server = await serve(() => ({ status: 200, body }))
    expect(await clientOf(server).notes.summary('n1')).toEqual({ ...body, markdown })
    expect(server.requests[0]?.url).toBe('/v1/notes/n1/summary')
  })
})

describe.each(['transcript', 'summary'] as const)('a %s', (operation) => {
  it.each<[string, WireAnswer]>([
    ['404 not_ready', { status: 404, body: { error: { code: 'not_ready', message: 'wait' } } }],
    ['404 not_ready without a message', { status: 404, body: { error: { code: 'not_ready' } } }],
    ['409', { status: 409 }],
    ['202', { status: 202, body: { note_id: 'n1' } }],
  ])('that answers %s throws not_ready', async (_, answer) => {
    await using server = await serve(() => answer)
    expect(await errorOf(clientOf(server).notes[operation]('n1'))).toMatchObject({ code: 'not_ready' })
  })

  it.each<[string, WireAnswer]>([
    ['404 not_found', { status: 404, body: { error: { code: 'not_found', message: 'no such note' } } }],
    ['404 and HTML', { status: 404, body: '<h1>not_ready</h1>' }],
    ['404 without a body', { status: 404 }],
  ])('that answers %s throws content_not_found, which says nothing about the note', async (_, answer) => {
    await using server = await serve(() => answer)
    const error = await errorOf(clientOf(server).notes[operation]('n1'))
    expect(error).toMatchObject({
      code: 'content_not_found',
      status: 404,
      message: expect.stringContaining('notes.get'),
    })
  })
})

describe('an invalid response', () => {
  it.each([
    ['HTML', `<html>${CONTENT}</html>`, ''],
    ['half a JSON', `{"note_id":"n1","revision":1,"text":"${CONTENT}`, ''],
    ['nothing', '', ''],
    ['a list', [CONTENT], 'note_id'],
    ['null', 'null', ''],
    ['a transcript without text', { note_id: 'n1', title: CONTENT }, 'text'],
    ['a segment of another shape', { note_id: 'n1', text: CONTENT, segments: [{ text: 7 }] }, 'segments[0].text'],
  ])('throws invalid_response if it is %s, and is not quoted', async (_, body, path) => {
    await using server = await serve(() => ({ status: 200, headers: { 'x-request-id': 'req-1' }, body }))
    const error = await errorOf(clientOf(server).notes.transcript('n1'))
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, requestId: 'req-1' })
    expect(shownBy(error)).not.toContain(CONTENT)
    if (Array.isArray(body)) return
    expect(error).toMatchObject({ path })
  })
})

describe('an invalid id', () => {
  it.each(['', '.', '..'])('is refused without a request: %j', async (noteId) => {
    await using server = await serve(() => ({ status: 200 }))
    const { notes } = clientOf(server)
    for (const operation of ['get', 'transcript', 'summary'] as const) {
      expect(await errorOf(notes[operation](noteId))).toMatchObject({ option: 'note_id' })
    }
    expect(server.requests).toEqual([])
  })
})

function clientOf(server: { readonly baseUrl: string }): NotesClient {
  return new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 })
}
