import { once } from 'node:events'
import { connect } from 'node:net'
import { inspect } from 'node:util'
import ky from 'ky'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { serve, type WireAnswer } from '../../fixtures/wire-server.ts'
import { ConnectionError } from '../errors/notes-client-error.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientOptions } from '../options/notes-client-options.ts'

const NOTE = { status: 200, body: { note_id: 'n1', revision: 1 } }
const REGISTRATION = { url: 'https://app.example/hooks', events: ['note.ended'] }

/** Connections that break before or during a response. */
const BROKEN: Readonly<Record<string, WireAnswer>> = {
  'is closed without an answer': (response) => response.destroy(),
  'is reset in the middle of the body': (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"note_id":', () => response.destroy())
  },
  'ends a chunked body early': (response) => {
    response.writeHead(200)
    response.write('{"note_id":', () => response.socket?.destroy())
  },
}

const STALLED: Readonly<Record<string, WireAnswer>> = {
  'never answers': () => {},
  'stops in the middle of the body': (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"note_id":')
  },
}

describe('a request that failed', () => {
  // The shortest delays.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  it.each([408, 425, 429, 500, 502, 503, 504, 520, 522, 526, 529, 530])('with %i is sent again', async (status) => {
    await using server = await serve((_, count) => (count < 3 ? { status, body: 'not now' } : NOTE))
    expect(await clientOf(server).notes.get('n1')).toEqual(NOTE.body)
    expect(server.requests).toHaveLength(3)
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${API_KEY}`)).toBe(true)
  })

  it.each([400, 401, 403, 409, 413, 422, 501, 505])('with %i is not sent again', async (status) => {
    await using server = await serve(() => ({ status }))
    await errorOf(clientOf(server).notes.transcript('n1'))
    expect(server.requests).toHaveLength(1)
  })

  it.each(Object.keys(BROKEN))('because the connection %s is sent again', async (failure) => {
    await using server = await serve((_, count) => (count < 3 ? (BROKEN[failure] ?? NOTE) : NOTE))
    expect(await clientOf(server).notes.get('n1')).toEqual(NOTE.body)
    expect(server.requests).toHaveLength(3)
  })

  it('because fetch threw is sent again, whatever it threw', async () => {
    const thrown = [new TypeError('error reading a body from connection'), new Error('socket hang up'), 'no network']
    const fetch = async () => (thrown.length === 0 ? Response.json(NOTE.body) : Promise.reject(thrown.pop()))
    const client = clientOf({ baseUrl: 'https://notes.example' }, { fetch, maxRetries: 3 })
    expect(await client.notes.get('n1')).toEqual(NOTE.body)
  })

  it.each(Object.keys(STALLED))('because the server %s is sent again after timeoutMs', async (failure) => {
    await using server = await serve((_, count) => (count < 2 ? (STALLED[failure] ?? NOTE) : NOTE))
    expect(await clientOf(server, { timeoutMs: 2_000, maxRetries: 99 }).notes.get('n1')).toEqual(NOTE.body)
    expect(server.requests.length).toBeGreaterThan(1)
  })

  it.each([0, 1, 4])('is sent again maxRetries times, %i, and no more', async (maxRetries) => {
    await using server = await serve(() => ({ status: 503 }))
    const error = await errorOf(clientOf(server, { maxRetries }).notes.get('n1'))
    expect(error).toMatchObject({ code: 'server_error', status: 503 })
    expect(server.requests).toHaveLength(1 + maxRetries)
  })

  it.each([
    ['update', 3, (client: NotesClient) => client.webhookEndpoints.update('e1', { events: ['note.ended'] })],
    ['delete', 3, (client: NotesClient) => client.webhookEndpoints.delete('e1')],
    ['create', 1, (client: NotesClient) => client.webhookEndpoints.create(REGISTRATION)],
    ['sendTest', 1, (client: NotesClient) => client.webhookEndpoints.sendTest('e1')],
    ['rotateSecret', 1, (client: NotesClient) => client.webhookEndpoints.rotateSecret('e1')],
  ] as const)('of webhookEndpoints.%s has %i attempts', async (_, attempts, call) => {
    for (const answer of [{ status: 503 }, BROKEN['is closed without an answer'] ?? NOTE]) {
      await using server = await serve(() => answer)
      await errorOf(call(clientOf(server)))
      expect(server.requests).toHaveLength(attempts)
      expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1)
    }
  })
})

describe('a call without a response', () => {
  it("throws network_error with the runtime's code", async () => {
    await using server = await serve(() => NOTE)
    // Nothing listens on the client's port of a connection, and no other process can use that port.
    const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
    await once(socket, 'connect')
    const baseUrl = `http://127.0.0.1:${socket.localPort}`
    const error = await errorOf(clientOf({ baseUrl }, { maxRetries: 0 }).notes.get('n1'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      code: 'network_error',
      networkCode: 'ECONNREFUSED',
      operation: 'GET /v1/notes/{note_id}',
    })
    expect(String(error)).toContain(
      `the connection to ${baseUrl} failed (ECONNREFUSED), in 1 attempt. No program listens at this address. Check that the base URL, which comes from the option baseUrl, is correct`,
    )
  })

  it('throws timeout if the last attempt took too long', async () => {
    await using server = await serve(() => () => {})
    const error = await errorOf(clientOf(server, { timeoutMs: 50, maxRetries: 0 }).notes.get('n1'))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'timeout', networkCode: undefined })
    expect(String(error)).toContain(
      `no complete answer from ${server.baseUrl} within 50 ms for an attempt and 600000 ms in all, in 1 attempt`,
    )
  })

  it('throws network_error without the error of a custom fetch', async () => {
    const coded = Object.assign(new Error(API_KEY), { code: API_KEY, cause: { code: API_KEY } })
    for (const thrown of [coded, API_KEY, undefined, { headers: { authorization: API_KEY } }]) {
      const fetch = () => Promise.reject(thrown)
      const error = await errorOf(
        clientOf({ baseUrl: 'https://notes.example' }, { fetch, maxRetries: 0 }).notes.get('n1'),
      )
      expect(error).toMatchObject({ code: 'network_error', networkCode: undefined })
    }
  })

  it('throws an error that says how to find out whether the service created an endpoint', async () => {
    await using server = await serve(() => (response) => response.destroy())
    const error = await errorOf(clientOf(server).webhookEndpoints.create(REGISTRATION))
    expect(error).toMatchObject({ code: 'network_error' })
    expect(String(error)).toMatch(/List the endpoints .* rotate its secret/)
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with the status %i is not followed, because the key is sent only to baseUrl',
    async (status) => {
      await using elsewhere = await serve(() => NOTE)
      await using server = await serve(() => ({ status, headers: { location: `${elsewhere.baseUrl}/v1/notes/n1` } }))
      const error = await errorOf(clientOf(server).notes.get('n1'))
      expect(error).toMatchObject({ code: 'redirect_refused', status })
      expect(server.requests).toHaveLength(1)
      expect(elsewhere.requests).toEqual([])
    },
  )

  it('is refused also if the platform hides its status', async () => {
    const fetch = async () => Object.defineProperty(new Response(null), 'status', { value: 0 })
    const opaque = Object.defineProperty(await fetch(), 'ok', { value: false })
    const client = clientOf({ baseUrl: 'https://notes.example' }, { fetch: async () => opaque })
    expect(await errorOf(client.notes.get('n1'))).toMatchObject({ code: 'redirect_refused', status: 0 })
  })
})

describe('a signal', () => {
  it('that is already aborted prevents the request', async () => {
    await using server = await serve(() => NOTE)
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    expect(await errorOf(clientOf(server).notes.get('n1', { signal }))).toBe(reason)
    expect(server.requests).toEqual([])
  })

  it.each(Object.keys(STALLED))('ends a call whose server %s', async (failure) => {
    const controller = new AbortController()
    await using server = await serve(() => {
      setTimeout(() => controller.abort(), 20)
      return STALLED[failure] ?? NOTE
    })
    const error = await errorOf(clientOf(server).notes.get('n1', { signal: controller.signal }))
    expect(error).toBe(controller.signal.reason)
    expect(server.requests).toHaveLength(1)
  })

  it('ends the delay before a retry', async () => {
    const controller = new AbortController()
    await using server = await serve(() => {
      setTimeout(() => controller.abort(new Error('enough')), 20)
      return { status: 503, headers: { 'retry-after': '30' } }
    })
    await expect(clientOf(server).notes.get('n1', { signal: controller.signal })).rejects.toThrow('enough')
    expect(server.requests).toHaveLength(1)
  })

  it('of AbortSignal.timeout rejects with its TimeoutError', async () => {
    await using server = await serve(() => () => {})
    const error = await errorOf(clientOf(server).notes.get('n1', { signal: AbortSignal.timeout(20) }))
    expect(error).toBeInstanceOf(DOMException)
    expect(error).toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a call', () => {
  it('appends its path to the path of baseUrl', async () => {
    await using server = await serve(() => NOTE)
    await clientOf({ baseUrl: `${server.baseUrl}/api/v1/` }).notes.get('n1')
    expect(server.requests[0]?.url).toBe('/api/v1/notes/n1')
  })

  it('passes one complete request to a custom fetch', async () => {
    const requests: Request[] = []
    const fetch = async (...given: Request[]) => {
      requests.push(...given)
      return Response.json(NOTE.body)
    }
    await clientOf({ baseUrl: 'https://notes.example' }, { fetch }).notes.get('n1')
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'GET', url: 'https://notes.example/v1/notes/n1', redirect: 'manual' })
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${API_KEY}`)
  })

  it('may use another HTTP client', async () => {
    await using server = await serve(() => NOTE)
    const overKy = clientOf(server, {
      fetch: (request) => ky(request, { retry: 0, timeout: false, throwHttpErrors: false }),
    })
    expect(await overKy.notes.get('n1')).toMatchObject({ note_id: 'n1' })
    expect(server.requests).toHaveLength(1)
  })

  it('throws an error without the request if another HTTP client throws an error with the request', async () => {
    await using server = await serve(() => ({ status: 403, headers: {} }))
    let thrown: unknown
    const fetch = (request: Request) =>
      ky(request, { retry: 0 }).catch((error) => {
        thrown = error
        throw error
      })
    const error = await errorOf(clientOf(server, { fetch, maxRetries: 0 }).notes.get('n1'))
    expect(thrown).toHaveProperty('request')
    expect(error).toMatchObject({ code: 'network_error' })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY)
  })
})

function clientOf(server: { readonly baseUrl: string }, options: Partial<NotesClientOptions> = {}): NotesClient {
  // Long enough for a slow machine.
  const limits = { timeoutMs: 300_000, totalTimeoutMs: 600_000 }
  return new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, ...limits, ...options })
}
