import { describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY, shownBy } from '../../fixtures/secrets.ts'
import { serve } from '../../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'

const NOTE = { status: 200, headers: { 'x-request-id': 'req_1' }, body: { note_id: 'n1', revision: 1 } }
const LIST = {
  status: 200,
  headers: { 'x-request-id': 'req_2' },
  body: { notes: [], has_more: false, next_cursor: null },
}

describe('the options of one call', () => {
  it('maxRetries replaces that of the client', async () => {
    await using server = await serve(() => ({ status: 503, headers: { 'retry-after': '0' } }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    await errorOf(client.notes.get('n1', { maxRetries: 0 }))
    expect(server.requests).toHaveLength(1)
    await errorOf(client.notes.get('n1', { maxRetries: 1 }))
    expect(server.requests).toHaveLength(3)
  })

  it('headers are sent, and cannot replace the key', async () => {
    await using server = await serve(() => NOTE)
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    await client.notes.get('n1', { headers: { traceparent: '00-1-2-01', Authorization: 'Bearer other' } })
    expect(server.requests[0]?.headers).toMatchObject({ traceparent: '00-1-2-01', authorization: `Bearer ${API_KEY}` })
    const error = await errorOf(client.notes.get('n1', { headers: { 'x-secret': 'a\nb' } }))
    expect(error).toMatchObject({ option: 'headers' })
    expect(shownBy(error)).not.toContain('a\nb')
  })

  it('onResponse gets the request id of a success, for one note and for each page of a list', async () => {
    await using server = await serve(({ url }) => (url.startsWith('/v1/notes?') ? LIST : NOTE))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    const ids: unknown[] = []
    const onResponse = ({ status, requestId }: { status: number | undefined; requestId: string | undefined }) =>
      ids.push([status, requestId])
    await client.notes.get('n1', { onResponse })
    await Array.fromAsync(client.notes.list({ limit: 1 }, { onResponse }))
    for await (const _ of client.notes.changes({}, { onResponse }));
    await Array.fromAsync(client.notes.listWithContent({ limit: 1 }, { onResponse }))
    expect(ids[0]).toEqual([200, 'req_1'])
    expect(ids.length).toBeGreaterThanOrEqual(4)
  })
})

describe('NOTES_LOG=debug', () => {
  it('writes a line for each request, without the key, ids of notes and content', async () => {
    vi.stubEnv('NOTES_LOG', 'debug')
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    let answers = 0
    await using server = await serve(() => {
      answers += 1
      return answers === 1 ? { status: 503, headers: { 'retry-after': '0' } } : NOTE
    })
    const seen: unknown[] = []
    const hooks = { onResponse: () => seen.push('hook') }
    await new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, hooks }).notes.get('note_of_mine')
    const lines = error.mock.calls.map(([line]) => String(line))
    expect(lines).toEqual([
      expect.stringMatching(/^notewire: call \d+: GET \/v1\/notes\/\{note_id\}: 503 in \d+ ms$/),
      expect.stringMatching(/^notewire: call \d+: sent again after \d+ ms$/),
      expect.stringMatching(
        /^notewire: call \d+: GET \/v1\/notes\/\{note_id\}, attempt 2: 200 in \d+ ms, request req_1$/,
      ),
    ])
    expect(lines.join()).not.toMatch(/note_of_mine|S3cret/)
    expect(seen).toEqual(['hook', 'hook'])
    vi.unstubAllEnvs()
    error.mockRestore()
  })
})
