import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { NotesClientError } from '../errors/notes-client-error.ts'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY } from '../fixtures/secrets.ts'
import { skippingClock } from '../fixtures/skipping-clock.ts'
import { serve } from '../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientOptions } from '../notes-client-options.ts'

const NOTE = { note_id: 'n1', revision: 1 }
const NOT_NOW = () => new Response(null, { status: 503 })

afterEach(() => void vi.restoreAllMocks())

describe('the pause before a retry', () => {
  it('at its longest doubles each time', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { client, clock } = clientOf(NOT_NOW, { maxRetries: 4 })
    await errorOf(client.notes.get('n1'))
    expect(clock.pauses).toEqual([300, 600, 1200, 2400])
  })

  it('is anywhere between nothing and that ("full jitter"), and a minute at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), async (chances) => {
        const random = vi.spyOn(Math, 'random')
        for (const chance of chances) random.mockReturnValueOnce(chance)
        const { client, clock } = clientOf(NOT_NOW, { maxRetries: chances.length, totalTimeoutMs: 2 ** 31 - 1 })
        await errorOf(client.notes.get('n1'))
        expect(clock.pauses).toEqual(chances.map((chance, retry) => Math.min(60_000, chance * 300 * 2 ** retry)))
      }),
    )
  })

  it.each([
    ['in seconds', { 'retry-after': '7' }, 7000],
    ['as a date', { date: 'Thu, 01 Jan 2026 00:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    ['longer than a minute', { 'retry-after': '3600' }, 60_000],
    ['that is over', { 'retry-after': '0' }, 0],
  ])('is what Retry-After says, %s', async (_, headers: Record<string, string>, pause) => {
    const answers = [new Response(null, { status: 429, headers }), Response.json(NOTE)]
    const { client, clock } = clientOf(() => answers.shift())
    expect(await client.notes.get('n1')).toEqual(NOTE)
    expect(clock.pauses).toEqual([pause])
  })
})

describe('an error', () => {
  it('tells every attempt, how it failed and how long the client had waited before it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const ends = [
      () => new Response(null, { status: 429, headers: { 'retry-after': '2' } }),
      () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNRESET' })),
      () => new Promise<Response>(() => {}),
      () => new Response(null, { status: 500 }),
    ]
    const { client } = clientOf(() => ends.shift()?.(), { maxRetries: 3, timeoutMs: 30 })
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error).toMatchObject({ code: 'server_error', status: 500 })
    expect(error.attempts).toEqual([
      { status: 429, failure: undefined, networkCode: undefined, delayMs: 0 },
      { status: undefined, failure: 'network_error', networkCode: 'ECONNRESET', delayMs: 2000 },
      { status: undefined, failure: 'timeout', networkCode: undefined, delayMs: 300 },
      { status: 500, failure: undefined, networkCode: undefined, delayMs: 600 },
    ])
  })

  it.each([
    ['network_error', () => Promise.reject(new Error('no'))],
    ['not_found', () => new Response(null, { status: 404 })],
    ['forbidden', () => new Response(null, { status: 403 })],
    ['rate_limited', () => new Response(null, { status: 429 })],
    ['invalid_response', () => new Response('half')],
  ])('with the code %s tells its attempts, too', async (code, answer) => {
    const { client } = clientOf(answer, { maxRetries: 0 })
    const error = (await errorOf(client.notes.transcript('n1'))) as NotesClientError
    expect(error.code).toBe(code)
    expect(error.attempts).toHaveLength(1)
  })
})

describe('the total deadline of a call', () => {
  it('ends it at once, with what the service said last, when a pause would leave no time', async () => {
    const answer = () => new Response(null, { status: 503, headers: { 'retry-after': '30' } })
    const { client, clock } = clientOf(answer, { totalTimeoutMs: 50_000, maxRetries: 9 })
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error).toMatchObject({ code: 'server_error', status: 503 })
    expect(error.attempts.map(({ delayMs }) => delayMs)).toEqual([0, 30_000])
    expect(clock.pauses).toEqual([30_000])
  })

  it('cuts off the attempt that is under way', async () => {
    await using server = await serve(() => () => {})
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, totalTimeoutMs: 80, maxRetries: 9 })
    const began = performance.now()
    const error = await errorOf(client.notes.get('n1'))
    expect(performance.now() - began).toBeLessThan(2000)
    expect(error).toMatchObject({ code: 'timeout', attempts: [{ failure: 'timeout' }] })
    expect(String(error)).toContain('no complete answer within 80 ms in all, in 1 attempt')
  })

  it('covers all attempts together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    await using server = await serve(() => () => {})
    const options = { timeoutMs: 100, totalTimeoutMs: 250, maxRetries: 99 }
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, ...options })
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error.code).toBe('timeout')
    expect(error.attempts.length).toBeGreaterThan(1)
    expect(error.attempts.length).toBeLessThanOrEqual(4)
  })

  it('can be set for one call alone, and for each page of a listing', async () => {
    const { client } = clientOf(() => new Promise<Response>(() => {}))
    const options = { totalTimeoutMs: 20 }
    const calls = [
      client.notes.get('n1', options),
      client.notes.list({}, options)[Symbol.asyncIterator]().next(),
      client.notes.changes({}, options)[Symbol.asyncIterator]().next(),
      client.notes.listWithContent({}, options)[Symbol.asyncIterator]().next(),
    ]
    for (const error of await Promise.all(calls.map(errorOf))) expect(error).toMatchObject({ code: 'timeout' })
  })

  it.each([0, -1, Number.NaN, 2 ** 31, '5'])('cannot be %j', async (totalTimeoutMs) => {
    const { client } = clientOf(() => Response.json(NOTE))
    const error = await errorOf(client.notes.get('n1', { totalTimeoutMs: totalTimeoutMs as number }))
    expect(error).toMatchObject({ code: 'option_invalid', option: 'totalTimeoutMs' })
  })
})

describe('a POST', () => {
  const refused = {
    'was refused with 429': () => new Response(null, { status: 429 }),
    'found nobody listening': () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })),
    'found no such host': () =>
      Promise.reject(new Error('no', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) })),
  }
  const endpoint = { endpoint_id: 'e1', signing_secret: 'whsec_x' }

  it.each(Object.keys(refused))('that %s is sent again, since nothing has been done', async (how) => {
    for (const call of ['sendTest', 'rotateSecret'] as const) {
      const ends = [refused[how as keyof typeof refused], () => Response.json(endpoint)]
      const { client, requests } = clientOf(() => ends.shift()?.())
      await client.webhookEndpoints[call]('e1')
      expect(requests).toHaveLength(2)
    }
  })

  it.each(Object.keys(refused))('that %s is not sent again when it creates an endpoint', async (how) => {
    const { client, requests } = clientOf(refused[how as keyof typeof refused])
    const error = await errorOf(client.webhookEndpoints.create({ url: 'https://app.example', events: [] }))
    expect(error).toMatchObject({ attempts: [{}] })
    expect(requests).toHaveLength(1)
  })
})

describe('a signal', () => {
  it('ends a call whose fetch does not look at it', async () => {
    const controller = new AbortController()
    const { client } = clientOf(() => {
      setTimeout(() => controller.abort(new Error('enough')), 10)
      return new Promise<Response>(() => {})
    })
    await expect(client.notes.get('n1', { signal: controller.signal })).rejects.toThrow('enough')
  })

  it('is left alone by calls that are over', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const { client } = clientOf(() => Response.json(NOTE))
    await client.notes.get('n1', { signal })
    expect(added).toHaveBeenCalled()
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length)
  })
})

type Answering = (request: Request) => Response | Promise<Response> | undefined

function clientOf(answer: Answering, options: Partial<NotesClientOptions> = {}) {
  const requests: Request[] = []
  const clock = skippingClock()
  const fetch = async (request: Request) => {
    requests.push(request)
    return (await answer(request)) ?? new Response(null, { status: 418 })
  }
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, clock, ...options })
  return { client, clock, requests }
}
