import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import type { ReceivedRequest } from '../api/request-log.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import { withoutSecrets } from './hidden-secrets.ts'

async function listeningService(contract = {}): Promise<NotesService> {
  const service = await createNotesService({ clock: 'virtual', notes: 3, contract })
  await service.listen()
  return service
}

async function logged(service: NotesService, query = ''): Promise<readonly ReceivedRequest[]> {
  return (await (await fetch(`${service.baseUrl}/control/requests${query}`)).json()).requests
}

describe('the log of API requests', () => {
  it('contains the query, the authentication and the answer of each request, the newest first', async () => {
    await using service = await listeningService()
    await call(service, 'GET /v1/notes?limit=2')
    await call(service, 'GET /v1/notes/note_1', { key: 'ntw_live_k7.unknown' })
    await service.fetch(new Request(`${service.baseUrl}/v1/notes`))
    const [withoutKey, rejected, accepted] = await logged(service)
    expect(withoutKey).toMatchObject({ path: '/v1/notes', authentication: 'missing', status: 401 })
    expect(rejected).toMatchObject({ path: '/v1/notes/note_1', authentication: 'rejected', status: 401 })
    expect(accepted).toMatchObject({ method: 'GET', query: { limit: '2' }, authentication: 'accepted', status: 200 })
    expect(accepted?.answer?.content_type).toBe('application/json')
    expect(JSON.parse(accepted?.answer?.body ?? '').notes).toHaveLength(2)
  })

  it.each([
    {},
    { keyForm: 'without_key_id' },
    { keyForm: 'symbols' },
    { keyPrefix: 'a.b-c', keyForm: 'without_key_id' },
  ])('contains no key and no secret, with keys of the form %j', async (contract) => {
    await using service = await listeningService(contract)
    const { apiKey } = service
    const secretPart = apiKey.slice(-20)
    await call(service, `GET /v1/notes?api_key=${encodeURIComponent(apiKey)}`)
    await call(service, 'POST /v1/webhook-endpoints', { body: { url: `https://receiver.example/?key=${apiKey}` } })
    const body = { url: 'https://receiver.example/hooks', events: ['note.ended'] }
    const created = await call<{ signing_secret: string }>(service, 'POST /v1/webhook-endpoints', { body })
    const text = JSON.stringify(await logged(service))
    expect(text).not.toContain(apiKey)
    expect(text).not.toContain(secretPart)
    expect(text).not.toContain(created.body.signing_secret.slice('whsec_'.length))
    expect(text).toContain('"signing_secret\\":\\"whsec_…')
  })

  const escaped = (key: string, mark: string) =>
    key.replaceAll(/[-aeiou]/g, (character) => mark + character.charCodeAt(0).toString(16))

  it.each<[string, (key: string) => string, string]>([
    ['a line break before it', (key) => `{"a":"x\\n${key}"}`, '{"a":"x\\nntw-…"}'],
    ['other text before it', (key) => `token_${key}`, 'token_ntw-…'],
    ['escapes of JSON', (key) => `{"\\u00e9":"${escaped(key, '\\u00')}"}`, '{"\\u00e9":"ntw-…"}'],
    ['escapes of JSON in JSON', (key) => escaped(key, '\\\\u00'), 'ntw-…'],
    ['escapes of a URL', (key) => `key=${escaped(key, '%')}`, 'key=ntw-…'],
    ['escapes of a URL in a URL', (key) => `key=${escaped(key, '%25')}`, 'key=ntw-…'],
    ['capitals', (key) => key.toUpperCase(), 'NTW-…'],
  ])('contains no key with %s', async (_case, bodyWith, shown) => {
    await using service = await listeningService({ keyForm: 'without_key_id' })
    const request = { method: 'POST', body: bodyWith(service.apiKey) }
    await service.fetch(new Request(`${service.baseUrl}/v1/webhook-endpoints`, request))
    expect((await logged(service))[0]?.body).toBe(shown)
  })

  it('is not searched for parts of a key', async () => {
    await using service = await listeningService()
    const { apiKey } = service
    await call(service, `GET /v1/notes?api_key=${apiKey}`)
    expect(await logged(service, '?search=ntw_live_')).toHaveLength(1)
    expect(await logged(service, `?search=${apiKey.slice(0, -8)}`)).toEqual([])
  })

  it('is read in a time that grows with the length of the bodies', () => {
    const text = '\\'.repeat(5_000_000)
    expect(withoutSecrets(text, 'ntw')).toBe(text)
  })

  it('is searched and paged', async () => {
    await using service = await listeningService()
    for (let limit = 1; limit <= 5; limit++) await call(service, `GET /v1/notes?limit=${limit}`)
    await call(service, 'GET /v1/notes/note_1')
    expect(await logged(service, '?search=4XX+get')).toMatchObject([{ path: '/v1/notes/note_1', status: 404 }])
    const [newest, next] = await logged(service, '?search=limit&limit=2')
    expect([newest?.query, next?.query]).toEqual([{ limit: '5' }, { limit: '4' }])
    const older = await logged(service, `?search=limit&before=${next?.request_id}`)
    expect(older.map(({ query }) => query['limit'])).toEqual(['3', '2', '1'])
    const unknown = await fetch(`${service.baseUrl}/control/requests?before=req_1`)
    expect([unknown.status, (await unknown.json()).error.code]).toEqual([404, 'request_unknown'])
  })

  it('contains the last 1,000 requests, and the first 4,096 characters of an answer', async () => {
    await using service = await listeningService()
    service.owner.record({ content: 'x'.repeat(5000) })
    const [{ note_id } = { note_id: '' }] = service.owner.notes().slice(-1)
    await call(service, 'GET /v1/notes/note_first')
    for (let count = 0; count < 999; count++) await call(service, 'GET /v1/notes/note_1')
    await call(service, `GET /v1/notes/${note_id}`)
    const all = await logged(service, '?limit=2000')
    expect(all).toHaveLength(1000)
    expect(all[0]?.answer?.length).toBeGreaterThan(0)
    expect(all.some(({ path }) => path === '/v1/notes/note_first')).toBe(false)
    const answer = await (await fetch(`${service.baseUrl}/control/requests?limit=1`)).json()
    expect(answer.page).toMatchObject({ total: 1000, dropped: 1 })
    expect(answer.requests[0].answer.body).toHaveLength(4096)
    expect(service.requests).toHaveLength(1000)
  })

  it('shows a dropped connection as a request without an answer', async () => {
    await using service = await listeningService()
    service.faults.inject({ request: 'GET /v1/notes', fault: { kind: 'dropped' } })
    await expect(call(service, 'GET /v1/notes')).rejects.toThrow(TypeError)
    const [dropped] = await logged(service, '?search=no+answer')
    expect([dropped?.path, dropped?.status, dropped?.answer]).toEqual(['/v1/notes', undefined, undefined])
  })
})
