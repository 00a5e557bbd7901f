import { describe, expect, it } from 'vitest'
import { contractDocuments } from '../../contract/documents.ts'
import { call, pagesOf } from '../../fixtures/call.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { FaultRule, RequestFault } from './fault-rule.ts'
import { API_OPERATIONS } from './fault-rule.ts'

const withFault = (fault: RequestFault, rule: Partial<FaultRule> = {}, notes = 3) =>
  createNotesService({ notes, faults: [{ request: 'GET /v1/notes', ...rule, fault } as FaultRule] })

const ask = (service: NotesService, path = '/v1/notes') =>
  service.fetch(new Request(service.baseUrl + path, { headers: { authorization: `Bearer ${service.apiKey}` } }))

const statuses = async (service: NotesService, calls: number) => {
  const answered: number[] = []
  for (let index = 0; index < calls; index++) answered.push((await ask(service)).status)
  return answered
}

describe('a fault of the API', () => {
  it.each([
    [429, 2, '2'],
    [503, undefined, null],
    [500, 'Thu, 01 Jan 2026 00:00:05 GMT', 'Thu, 01 Jan 2026 00:00:05 GMT'],
  ])('answers %i with Retry-After (row 22)', async (status, retryAfter, header) => {
    await using service = await withFault({ kind: 'status', status, retryAfter })
    const answer = await ask(service)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, header])
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it.each(['1\n2', '5 €'])('is refused if Retry-After cannot be %j', async (retryAfter) => {
    await expect(withFault({ kind: 'status', status: 503, retryAfter })).rejects.toThrow('retryAfter')
  })

  it('answers late, and advances the virtual clock of the service', async () => {
    await using service = await withFault({ kind: 'latency', by: '8s' })
    const beganAt = service.clock.now()
    expect((await ask(service)).status).toBe(200)
    expect(service.clock.now() - beganAt).toBe(8000)
    expect(service.requests.at(-1)).toMatchObject({ status: 200, duration_ms: 8000 })
  })

  it('answers after a shorter deadline of the caller', async () => {
    await using service = await withFault({ kind: 'latency', by: '8s' })
    const first = await Promise.race([
      ask(service).then(() => 'answer'),
      service.clock.sleep(5000).then(() => 'deadline'),
    ])
    expect(first).toBe('deadline')
  })

  it('truncates the answer', async () => {
    await using service = await withFault({ kind: 'truncated' })
    const answer = await ask(service)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(text).toMatch(/^\{"notes":/)
    expect(() => JSON.parse(text)).toThrow()
  })

  it('answers with a body that is not JSON', async () => {
    await using service = await withFault({ kind: 'malformed' })
    const answer = await ask(service)
    expect(answer.headers.get('content-type')).toBe('application/json')
    await expect(answer.json()).rejects.toThrow(SyntaxError)
  })

  it.each([
    ['before it processes the request', undefined, 0],
    ['after it has processed the request', 'answer', 1],
  ] as const)('breaks the connection %s', async (_, lost, created) => {
    const rule = { request: 'POST /v1/webhook-endpoints', calls: 1, fault: { kind: 'dropped', lost } } as const
    await using service = await createNotesService({ faults: [rule] })
    const body = { url: 'https://receiver.test/', events: ['note.ended'] }
    const broken = call(service, 'POST /v1/webhook-endpoints', { body })
    await expect(broken).rejects.toThrow(TypeError)
    await expect(broken).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    expect(service.requests.at(-1)).toMatchObject({ method: 'POST', status: undefined })
    const { webhook_endpoints } = (await call<{ webhook_endpoints: [] }>(service, 'GET /v1/webhook-endpoints')).body
    expect(webhook_endpoints).toHaveLength(created)
  })

  it('also breaks the connection of a port', async () => {
    await using service = await withFault({ kind: 'dropped' }, { calls: 1 })
    const { url } = await service.listen()
    const headers = { authorization: `Bearer ${service.apiKey}` }
    await expect(fetch(`${url}/v1/notes`, { headers })).rejects.toThrow(TypeError)
    expect((await fetch(`${url}/v1/notes`, { headers })).status).toBe(200)
  })

  it('answers an empty page, and the next pages contain all notes', async () => {
    await using service = await withFault({ kind: 'empty_page' }, { calls: [1, 3] }, 5)
    expect(await pageSizes(service, 2)).toEqual([0, 2, 0, 2, 1])
  })

  it('answers short pages, and the next pages contain all notes', async () => {
    await using service = await withFault({ kind: 'short_page', notes: 2 }, { calls: [1, 2] }, 9)
    expect(await pageSizes(service, 4)).toEqual([2, 2, 4, 1])
  })
})

describe('a short page', () => {
  it('is never longer than the requested limit', async () => {
    await using service = await withFault({ kind: 'short_page', notes: 3 }, {}, 5)
    expect(await pageSizes(service, 2)).toEqual([2, 2, 1])
  })
})

describe('a rule for requests', () => {
  const unavailable = { kind: 'status', status: 503 } as const

  it.each([
    [3, [200, 200, 503, 200]],
    [
      [1, 3],
      [503, 200, 503, 200],
    ],
    [undefined, [503, 503, 503, 503]],
  ])('affects the calls %j', async (calls, expected) => {
    await using service = await withFault(unavailable, { calls })
    expect(await statuses(service, 4)).toEqual(expected)
  })

  it('affects a share that the seed selects, the same every time', async () => {
    const run = async (seed: number) => {
      const rule = { request: '* /v1/**', rate: 0.3, fault: unavailable } as const
      await using service = await createNotesService({ seed, faults: [rule] })
      return statuses(service, 200)
    }
    const one = await run(1)
    expect(one.filter((status) => status === 503).length).toBeGreaterThan(40)
    expect(one.filter((status) => status === 503).length).toBeLessThan(80)
    expect(await run(1)).toEqual(one)
    expect(await run(2)).not.toEqual(one)
  })

  it.each([
    ['GET /v1/notes', ['/v1/notes']],
    ['GET /v1/notes/*', ['/v1/notes/a']],
    ['* /v1/notes/*/transcript', ['/v1/notes/a/transcript']],
    ['GET /v1/notes/**', ['/v1/notes', '/v1/notes/a', '/v1/notes/a/transcript']],
    ['POST /v1/webhook-endpoints', []],
    ['* /**', ['/', '/v1/notes', '/v1/notes/a', '/v1/notes/a/transcript']],
  ])('affects the requests that match %s', async (request, affected) => {
    await using service = await createNotesService({ faults: [{ request, fault: { kind: 'status', status: 599 } }] })
    const paths = ['/', '/v1/notes', '/v1/notes/a', '/v1/notes/a/transcript']
    const answers = await Promise.all(paths.map(async (path) => [path, (await ask(service, path)).status] as const))
    expect(answers.flatMap(([path, status]) => (status === 599 ? path : []))).toEqual(affected)
  })

  it('counts calls from its injection, and has no effect after it is removed', async () => {
    await using service = await createNotesService()
    await ask(service)
    const injected = service.faults.inject({ request: 'GET /v1/notes', calls: 2, fault: unavailable })
    expect(await statuses(service, 3)).toEqual([200, 503, 200])
    expect(injected.struck).toBe(1)
    {
      using _scoped = service.faults.inject({ request: 'GET /v1/notes', fault: unavailable })
      expect(await statuses(service, 1)).toEqual([503])
      expect(service.faults.rules).toHaveLength(2)
    }
    expect(await statuses(service, 1)).toEqual([200])
    service.faults.inject({ request: 'GET /v1/notes', fault: unavailable })
    service.faults.clear()
    expect(await statuses(service, 1)).toEqual([200])
    expect(service.faults.rules).toEqual([])
  })

  it.each([
    ['no method', { request: '/v1/notes', fault: unavailable }],
    ['an unknown kind', { request: 'GET /v1/notes', fault: { kind: 'unknown' } }],
    ['a fault of deliveries', { request: 'GET /v1/notes', fault: { kind: 'corrupted' } }],
    ['a status that is not an error', { request: 'GET /v1/notes', fault: { kind: 'status', status: 200 } }],
    ['call 0', { request: 'GET /v1/notes', calls: 0, fault: unavailable }],
    ['a rate above 1', { request: 'GET /v1/notes', rate: 2, fault: unavailable }],
    ['an unknown field', { request: 'GET /v1/notes', times: 2, fault: unavailable }],
    ['an unknown field of the fault', { request: 'GET /v1/notes', fault: { kind: 'truncated', by: 3 } }],
    ['a malformed duration', { request: 'GET /v1/notes', fault: { kind: 'latency', by: 'long' } }],
    ['an unknown event', { delivery: 'note.read', fault: { kind: 'duplicated' } }],
    ['NaN seconds', { delivery: '*', fault: { kind: 'skewed', seconds: Number.NaN } }],
    ['no target', { fault: unavailable }],
    ['no fault', { request: 'GET /v1/notes' }],
  ])('is rejected with %s', async (_, rule) => {
    await expect(createNotesService({ faults: [rule as FaultRule] })).rejects.toThrow(MockServerError)
    await using service = await createNotesService()
    expect(() => service.faults.inject(rule as FaultRule)).toThrow(MockServerError)
  })
})

describe('the recipe of a service', () => {
  it('is one line that creates the same service with the same faults', async () => {
    const faults: FaultRule[] = [{ request: 'GET /v1/notes', rate: 0.5, fault: { kind: 'status', status: 500 } }]
    await using service = await createNotesService({ seed: 42, notes: 3, faults, contract: { lastCursor: 'absent' } })
    const [, options = ''] = /^createNotesService\((.*)\)$/.exec(service.recipe) ?? []
    await using again = await createNotesService(JSON.parse(options))
    expect(service.recipe).not.toContain('\n')
    expect(await statuses(again, 50)).toEqual(await statuses(service, 50))
  })
})

async function pageSizes(service: NotesService, limit: number): Promise<readonly number[]> {
  const pages = await pagesOf(service, limit)
  const ids = pages.flatMap(({ notes }) => notes.map(({ note_id }) => note_id))
  expect(ids).toEqual(service.owner.notes().map(({ note_id }) => note_id))
  return pages.map(({ notes }) => notes.length)
}

it('every operation of the API can be named in a rule', () => {
  const { paths } = JSON.parse(contractDocuments()['openapi.json'] ?? '') as { paths: Record<string, object> }
  const operations = Object.entries(paths)
    .filter(([template]) => template.startsWith('/v1/'))
    .flatMap(([template, item]) => {
      const methods = Object.keys(item).filter((key) => key !== 'parameters')
      return methods.map((method) => `${method.toUpperCase()} ${template.replaceAll(/\{\w+\}/g, '*')}`)
    })
  expect([...API_OPERATIONS].sort()).toEqual(operations.sort())
})
