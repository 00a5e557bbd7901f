import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from './create-notes-service.ts'

describe('a wrong argument is refused with a plain error', () => {
  it.each(['https://notes-service-1.test/v1/notes', undefined, {}, new URL('https://a.test')])(
    'of service.fetch: %s',
    async (input) => {
      await using service = await createNotesService()
      await expect(service.fetch(input as never)).rejects.toMatchObject({ code: 'option_invalid' })
    },
  )

  it('of service.connect: a function that returns no receiver. No request leaves the process', async () => {
    await using service = await createNotesService()
    for (const wrong of [() => undefined, () => Promise.resolve(() => new Response())]) {
      await expect(service.connect(wrong as never)).rejects.toMatchObject({ code: 'option_invalid' })
    }
    await service.settled()
    expect(service.attempts).toEqual([])
    expect((await call(service, 'GET /v1/webhook-endpoints')).body).toEqual({ webhook_endpoints: [] })
  })

  it.each(['GET /v1/note', 'GET /v1/notes/', 'PUT /v1/notes', 'GET /notes', '* /v2/**', 'GET /v1/notes/*/transcripts'])(
    'of a fault rule: the path %s, which matches no operation',
    async (request) => {
      await using service = await createNotesService()
      const rule = { request, fault: { kind: 'truncated' } } as const
      expect(() => service.faults.inject(rule)).toThrow('"request" has a wrong value')
      await expect(createNotesService({ faults: [rule] })).rejects.toMatchObject({ option: 'faults[0].request' })
    },
  )

  it.each(['* /v1/**', 'GET /v1/notes/note_7', '* /v1/*', 'POST /v1/webhook-endpoints/*/deliveries/**'])(
    'but not a pattern that matches one: %s',
    async (request) => {
      await using service = await createNotesService()
      expect(service.faults.inject({ request, fault: { kind: 'truncated' } }).struck).toBe(0)
    },
  )
})

it('a closed service refuses acts, endpoints and a port', async () => {
  const service = await createNotesService()
  const note = service.owner.record().end()
  await service.close()
  const closed = expect.objectContaining({ code: 'service_closed' })
  const acts = [() => service.owner.record(), () => note.edit({ title: 'Late' }), () => service.createOwner()]
  for (const act of acts) expect(act).toThrow(closed)
  await expect(service.connect(anInbox().open)).rejects.toEqual(closed)
  await expect(service.listen()).rejects.toEqual(closed)
  expect(service.owner.note(note.note_id).revision).toBe(2)
})

it('the message of an error that a handler throws is kept', async () => {
  await using service = await createNotesService()
  await service.connect(() => () => {
    throw new RangeError('the index is out of date')
  })
  const outcome = { kind: 'connection_failed', reason: 'RangeError', message: 'the index is out of date' }
  expect(service.attempts[0]?.outcome).toEqual(outcome)
})

describe('the API refuses', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'JSON with the content type "%s" (§4)',
    async (type) => {
      await using service = await createNotesService()
      const body = JSON.stringify({ url: 'https://a.test/', events: ['note.ended'] })
      const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': type }
      const url = `${service.baseUrl}/v1/webhook-endpoints`
      const response = await service.fetch(new Request(url, { method: 'POST', headers, body }))
      expect([response.status, (await response.json()).error.code]).toEqual([400, 'invalid_content_type'])
    },
  )

  it.each(['/v1/notes/', '/v1/webhook-endpoints/', '/v1//notes'])('the path %s', async (path) => {
    await using service = await createNotesService()
    expect(await refusal(call(service, `GET ${path}`))).toEqual([404, 'unknown_operation'])
  })

  it.each([
    'limit=1&limit=2',
    'cursor=a&cursor=b',
    'updated_after=x&updated_after=y',
    'include_deleted=true&include_deleted=true',
  ])('a repeated parameter: %s (row 22)', async (query) => {
    await using service = await createNotesService()
    expect(await refusal(call(service, `GET /v1/notes?${query}`))).toEqual([400, 'invalid_parameter'])
  })
})

it('the logs keep the last 1,000 entries with their bodies, and count the dropped ones', async () => {
  await using service = await createNotesService({ notes: 1 })
  await service.connect(anInbox().open)
  const [note] = service.owner.notes()
  for (let count = 0; count < 1003; count++) {
    await call(service, 'GET /v1/notes')
    note?.edit({ title: `Title ${count}` })
    await service.settled()
  }
  const { requests, attempts, deliveries, dropped } = service
  expect([requests.length, attempts.length, deliveries.length]).toEqual([1000, 1000, 1000])
  expect(dropped).toEqual({ requests: 4, attempts: 4, deliveries: 4 })
  expect(deliveries.at(-1)?.body).toContain('note.updated')
  expect(attempts.every(({ outcome }) => outcome.kind === 'answered')).toBe(true)

  await using short = await createNotesService({ keepLast: 2 })
  for (const limit of [1, 2, 3]) await call(short, `GET /v1/notes?limit=${limit}`)
  expect(short.requests.map(({ query }) => query['limit'])).toEqual(['2', '3'])
  expect(short.dropped.requests).toBe(1)
})

describe('two services in Mock Service Worker', () => {
  it('do not answer for each other: the same base URL is refused until the first is closed', async () => {
    const first = await createNotesService()
    await using second = await createNotesService()
    await using other = await createNotesService({ seed: 2 })
    first.handlers(http)
    first.handlers(http)
    other.handlers(http)
    expect(() => second.handlers(http)).toThrow(expect.objectContaining({ code: 'base_url_taken' }))
    expect(() => second.handlers(http, { baseUrl: first.baseUrl })).toThrow('seed')
    second.handlers(http, { baseUrl: 'https://api.notes.example' })
    await first.close()
    second.handlers(http)
  })
})
