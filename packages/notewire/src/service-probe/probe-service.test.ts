import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ContractVariants, createNotesService } from '@notewire/mock-server'
import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { describeServiceReport } from './describe-report.ts'
import { aLivedInService, PRIVATE_WORDS, pointIn, probed } from './fixtures/a-service.ts'
import { ProbeError } from './probe-error.ts'
import { probeService } from './probe-service.ts'

/** Every variant that can be seen by reading. */
const SEEN_BY_READING: readonly ContractVariants[] = [
  { notesField: 'items' },
  { noteIdentifier: 'note_id' },
  { noteIdentifier: 'id' },
  { noteFields: 'required' },
  { noteFields: 'unfamiliar' },
  { tombstone: 'marker' },
  { limitOutOfRange: 'capped' },
  { emptyPages: true },
  { lastCursor: 'absent' },
  { lastCursor: 'empty' },
  { repeatingCursor: true },
  { updatedAfter: 'inclusive' },
  { timestamps: 'seconds' },
  { timestamps: 'minutes' },
  { timestamps: 'minutes', updatedAfter: 'inclusive' },
  { noteOperation: 'live_notes' },
  { noteOperation: 'absent' },
  { transcriptNotReady: 409 },
  { transcriptNotReady: 202 },
  { contentRevision: 'written' },
  { contentRevision: 'absent' },
  { summaryNotReady: 404 },
  { endpointIdentifier: 'id' },
  { endpointFields: 'required' },
  { endpointOperations: 'creation' },
  { disabledState: 'suspended' },
  { errorBody: 'html' },
  { errorBody: 'empty' },
  { requestId: false },
  { keyPrefix: 'acme' },
]

describe('a probe of the reference service', () => {
  it('finds every point that can be seen to be the default', async () => {
    await using service = await aLivedInService()
    const report = await probed(service, { write: true })
    expect(report.contract).toEqual({})
    expect(report.points.filter(({ verdict }) => verdict === 'alternative' || verdict === 'incompatible')).toEqual([])
    const beyond = /receiver|somebody who edits/
    const unseen = report.points.filter(({ verdict, seen }) => verdict === 'unseen' && !beyond.test(seen))
    expect(unseen.map(({ title }) => title)).toEqual([
      'how long a cursor is good for',
      'scope of reading notes',
      'scope of managing endpoints',
    ])
    expect(report).toMatchObject({ fits: true, clientOptions: { baseUrl: service.baseUrl } })
  })

  it.each(SEEN_BY_READING)('names the variant %j', async (contract) => {
    await using service = await aLivedInService(contract)
    expect((await probed(service)).contract).toEqual(contract)
  })

  it('names many variants at once', async () => {
    const contract: ContractVariants = {
      notesField: 'data',
      noteIdentifier: 'id',
      tombstone: 'marker',
      lastCursor: 'absent',
      emptyPages: true,
      timestamps: 'seconds',
      updatedAfter: 'inclusive',
      noteOperation: 'live_notes',
      transcriptNotReady: 409,
      contentRevision: 'absent',
      summaryNotReady: 404,
      endpointIdentifier: 'id',
      errorBody: 'html',
      requestId: false,
    }
    await using service = await aLivedInService(contract)
    const report = await probed(service)
    // A 404 without a code does not tell that the summary is not ready, but is one all the same.
    expect(report.contract).toEqual(contract)
    expect(report.clientOptions).toEqual({ baseUrl: service.baseUrl, notesField: 'data' })
  })

  it('names the kinds that a subscription takes, and the resource, by creating endpoints', async () => {
    await using service = await createNotesService({
      notes: 3,
      contract: { endpointKinds: 'accepted', endpointIdentifier: 'id' },
    })
    const report = await probed(service, { write: true })
    expect(report.contract).toEqual({ endpointKinds: 'accepted', endpointIdentifier: 'id' })
    expect(pointIn(report, 'creating an endpoint').verdict).toBe('default')
  })

  it.each([
    ['noteScope', ['webhooks:manage'], 'scope of reading notes'],
    ['endpointScope', ['notes:read'], 'scope of managing endpoints'],
  ] as const)('names the %s that a key lacks', async (variant, scopes, title) => {
    await using service = await createNotesService({ notes: 3, contract: { [variant]: 'admin:all' } })
    const { key } = service.owner.createIntegration().issueKey({ scopes })
    const report = await probed(service, { apiKey: key })
    expect(report.contract).toEqual({ [variant]: 'admin:all' })
    expect(pointIn(report, title)).toMatchObject({ row: 23, verdict: 'alternative' })
  })

  it('says what it could not see when the key may do nothing but read notes', async () => {
    await using service = await aLivedInService()
    const { key } = service.owner.createIntegration().issueKey({ scopes: ['notes:read'] })
    const report = await probed(service, { apiKey: key, write: true })
    for (const title of [
      'shape of a transcript',
      'shape of a summary',
      'operations on endpoints',
      'creating an endpoint',
    ]) {
      expect(pointIn(report, title)).toMatchObject({
        verdict: 'unseen',
        seen: expect.stringContaining('the key may not'),
      })
    }
    expect(report.contract).toEqual({})
  })

  it('says what it could not see in an empty service', async () => {
    await using service = await createNotesService()
    const report = await probed(service)
    expect(pointIn(report, 'identifier of a note')).toMatchObject({ verdict: 'unseen', seen: 'there is no note' })
    expect(report.contract).toEqual({})
  })
})

describe('a probe', () => {
  it('sends 60 requests at most, and no more than it was allowed', async () => {
    await using service = await aLivedInService({ emptyPages: true })
    const full = await probed(service, { write: true })
    expect(full.requests).toBeLessThanOrEqual(60)
    expect(service.requests.filter(({ at }) => at === service.clock.now())).toHaveLength(full.requests)
    const before = service.requests.length
    const short = await probed(service, { mostRequests: 7 })
    expect(service.requests.length - before).toBe(7)
    expect(short.points.some(({ verdict }) => verdict === 'unseen')).toBe(true)
  })

  it('changes nothing without being told to, and leaves nothing behind when it is', async () => {
    await using service = await createNotesService({ notes: 3 })
    await probed(service)
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    await probed(service, { write: true })
    const methods = service.requests.map(({ method, status }) => `${method} ${status}`)
    expect(methods).toContain('POST 201')
    expect(methods.filter((each) => each === 'DELETE 204')).toHaveLength(
      methods.filter((each) => each === 'POST 201').length,
    )
  })

  it('creates nothing where it could not delete it', async () => {
    await using service = await createNotesService({ notes: 3, contract: { endpointOperations: 'creation' } })
    await probed(service, { write: true })
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('deletes what it created even when it is interrupted', async () => {
    await using service = await createNotesService({ notes: 3 })
    const controller = new AbortController()
    const fetch = async (request: Request) => {
      const response = await service.fetch(request)
      if (request.method === 'POST') controller.abort(new Error('interrupted'))
      return response
    }
    await expect(probed(service, { write: true, fetch, signal: controller.signal })).rejects.toThrow('interrupted')
    const done = service.requests.map(({ method, status }) => `${method} ${status}`)
    expect(done.slice(-2)).toEqual(['POST 201', 'DELETE 204'])
  })

  it('waits where the service says that there were too many requests', async () => {
    await using service = await aLivedInService()
    service.faults.inject({ request: 'GET /v1/notes', calls: 4, fault: { kind: 'status', status: 429, retryAfter: 1 } })
    const waits: number[] = []
    const clock = { now: () => service.clock.now(), sleep: async (ms: number) => void waits.push(ms) }
    const report = await probed(service, { clock })
    expect(waits).toEqual([1000])
    expect(report.contract).toEqual({})
  })

  it('shows neither the key nor a word of a note, as JSON or to a person', async () => {
    await using service = await aLivedInService({ noteFields: 'unfamiliar' })
    const report = await probed(service, { write: true })
    const shown = JSON.stringify(report) + describeServiceReport(report, { paint: (_, text) => text, width: 80 })
    const [, secret = ''] = service.apiKey.split('.')
    for (const hidden of [...PRIVATE_WORDS, secret, 'whsec_']) expect(shown).not.toContain(hidden)
  })

  it('tells how far the clock of the service is off', async () => {
    await using service = await aLivedInService()
    const clock = { ...service.clock, now: () => service.clock.now() + 120_000, sleep: async () => undefined }
    expect(pointIn(await probed(service, { clock }), 'Date of answers')).toMatchObject({
      verdict: 'alternative',
      seen: '-120 s from this clock',
    })
  })
})

describe('what is no notes service', () => {
  const answering = async (status: number, headers: Record<string, string>, body: string) => {
    const server = createServer((_, response) => response.writeHead(status, headers).end(body)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    }
  }
  const probeOf = (baseUrl: string) => probeService({ baseUrl, apiKey: 'ntw_live_k7.s3cret', pauseMs: 0 })

  it.each([
    ['refuses the key', 401, {}, '', 'unauthorized'],
    ['redirects', 302, { location: 'https://elsewhere.example/' }, '', 'redirect_refused'],
    ['has no list of notes', 404, {}, 'not here', 'not_supported'],
    ['answers a page of HTML', 200, { 'content-type': 'text/html' }, '<html></html>', 'not_supported'],
    ['fails', 503, {}, '', 'server_error'],
  ])('is refused with words when it %s', async (_, status, headers, body, code) => {
    await using server = await answering(status, headers as Record<string, string>, body)
    const error = await probeOf(server.baseUrl).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProbeError)
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('s3cret')
  })

  it('is looked at to the end when it answers nonsense to everything', async () => {
    for (const body of [
      '{"notes":[1,null,"x",{"note_id":7}],"has_more":true,"next_cursor":5}',
      '{"notes":{"a":[]}}',
      '{"x":[{"id":"a"}],"next_cursor":"c"}',
    ]) {
      await using server = await answering(200, { 'content-type': 'application/json' }, body)
      const report = await probeOf(server.baseUrl)
      expect(report.points.length).toBeGreaterThan(30)
    }
  })

  it('is not asked at all when the base URL cannot be one', async () => {
    await expect(probeOf('http://notes.example')).rejects.toThrow(OptionError)
  })
})
