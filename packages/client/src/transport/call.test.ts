import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import type { NotesClientError } from '../errors/notes-client-error.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientOptions } from '../options/notes-client-options.ts'

const START = Date.UTC(2026, 0, 1)
const NOTE = { note_id: 'n1', revision: 1 }
const NOT_NOW = () => new Response(null, { status: 503 })

beforeEach(() => {
  vi.useFakeTimers({ now: START })
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the delay before a retry', () => {
  it('has an upper bound that doubles with each retry', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { client, delays } = clientOf(NOT_NOW, { maxRetries: 4 })
    await errorOf(client.notes.get('n1'))
    expect(delays()).toEqual([300, 600, 1200, 2400])
  })

  it('is a random part of the upper bound ("full jitter"), and a minute at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 12 }), async (thousandths) => {
        const chances = thousandths.map((thousandth) => thousandth / 1000)
        const random = vi.spyOn(Math, 'random')
        for (const chance of chances) random.mockReturnValueOnce(chance)
        const { client, announced } = clientOf(NOT_NOW, { maxRetries: chances.length, totalTimeoutMs: 2 ** 31 - 1 })
        await errorOf(client.notes.get('n1'))
        const expected = chances.map((chance, retry) => chance * Math.min(60_000, 300 * 2 ** retry))
        expect(announced).toHaveLength(expected.length)
        // A timer takes whole milliseconds, and at least one.
        for (const [retry, delay] of announced.entries())
          expect(Math.abs(delay - (expected[retry] ?? 0))).toBeLessThan(5)
      }),
    )
  })

  it.each([
    ['in seconds', { 'retry-after': '7' }, 7000],
    ['as a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9000],
    ['as a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 23:59:59 GMT' }, 0],
    ['a minute at most', { 'retry-after': '3600' }, 60_000],
  ])('is Retry-After, %s', async (_, headers: Record<string, string>, delay) => {
    for (const status of [408, 425, 429, 500, 503, 522, 529]) {
      vi.setSystemTime(START)
      const answers = [new Response(null, { status, headers }), Response.json(NOTE)]
      const { client, announced, delays } = clientOf(() => answers.shift())
      expect(await client.notes.get('n1')).toEqual(NOTE)
      expect(delays()).toEqual([delay])
      expect(announced).toEqual([delay])
    }
  })
})

describe('a header that says when the rate limit is reset', () => {
  const inAnHour = `${START / 1000 + 3_600}`
  const names = ['ratelimit-reset', 'x-ratelimit-retry-after', 'x-ratelimit-reset', 'x-rate-limit-reset']

  it.each(names)('does not delay the retry after another failure than a 429: %s', async (name) => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    for (const value of ['3600', inAnHour, `${inAnHour}000`]) {
      for (const status of [408, 425, 500, 502, 503, 504, 520, 529]) {
        const { client, delays } = clientOf(() => new Response(null, { status, headers: { [name]: value } }))
        expect(await errorOf(client.notes.get('n1'))).toMatchObject({ status })
        expect(delays()).toEqual([300, 600])
        vi.setSystemTime(START)
      }
    }
  })

  it.each(names)('is obeyed after a 429, and the error says when to call again: %s', async (name) => {
    for (const value of ['20', `${START / 1000 + 20}`, `${START + 20_000}`]) {
      vi.setSystemTime(START)
      const answers = [new Response(null, { status: 429, headers: { [name]: value } }), Response.json(NOTE)]
      const { client, delays } = clientOf(() => answers.shift())
      expect(await client.notes.get('n1')).toEqual(NOTE)
      expect(delays()).toEqual([20_000])
    }
  })

  it('in an hour makes a 429 fail as rate_limited, not as timeout', async () => {
    const answer = () => new Response(null, { status: 429, headers: { 'x-ratelimit-reset': inAnHour } })
    const { client } = clientOf(answer)
    const error = await errorOf(client.notes.get('n1'))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 - (Date.now() - START) })
    const short = clientOf(answer, { totalTimeoutMs: 30_000 })
    const began = Date.now()
    const soon = await errorOf(short.client.notes.get('n1'))
    expect(soon).toMatchObject({ code: 'rate_limited', attempts: [{ status: 429 }] })
    expect(Date.now()).toBe(began)
  })
})

describe('many concurrent calls', () => {
  it('succeed after one 429 each, if Retry-After gives the same time to all', async () => {
    let opensAt = Number.POSITIVE_INFINITY
    const { client, delays } = clientOf(() => {
      if (Date.now() >= opensAt) return Response.json(NOTE)
      opensAt = Math.min(opensAt, Date.now() + 20_000)
      const seconds = (opensAt - Date.now()) / 1000
      return new Response(null, { status: 429, headers: { 'retry-after': `${seconds}` } })
    })
    const calls = Array.from({ length: 50 }, () => client.notes.get('n1'))
    expect(await Promise.all(calls)).toHaveLength(50)
    expect(delays().filter((delay) => delay > 0)).toEqual([20_000])
  })
})

describe('an error', () => {
  it('lists every attempt, how it failed, and the delay before it', async () => {
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
    ['content_not_found', () => new Response(null, { status: 404 })],
    ['forbidden', () => new Response(null, { status: 403 })],
    ['rate_limited', () => new Response(null, { status: 429 })],
    ['invalid_response', () => new Response('half')],
  ])('with the code %s lists its attempts', async (code, answer) => {
    const { client } = clientOf(answer, { maxRetries: 0 })
    const error = (await errorOf(client.notes.transcript('n1'))) as NotesClientError
    expect(error.code).toBe(code)
    expect(error.attempts).toHaveLength(1)
  })

  it('has no cause, because the errors of ky hold the request', async () => {
    for (const answer of [NOT_NOW, () => Promise.reject(new Error('no')), () => new Promise<Response>(() => {})]) {
      const { client } = clientOf(answer)
      expect(await errorOf(client.notes.get('n1'))).not.toHaveProperty('cause')
    }
  })
})

describe('the time limit of a call', () => {
  it('ends the call at once with the last response if Retry-After exceeds the time left', async () => {
    const answer = () => new Response(null, { status: 503, headers: { 'retry-after': '30' } })
    const { client, delays } = clientOf(answer, { totalTimeoutMs: 50_000, maxRetries: 9 })
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error).toMatchObject({ code: 'server_error', status: 503 })
    expect(error.attempts.map(({ delayMs }) => delayMs)).toEqual([0, 30_000])
    expect(delays()).toEqual([30_000])
    expect(Date.now() - START).toBe(30_000)
  })

  it('ends the call at once with the last response if the delay could exceed the time left', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { client } = clientOf(NOT_NOW, { totalTimeoutMs: 1000, maxRetries: 9 })
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error).toMatchObject({
      code: 'server_error',
      attempts: [{ delayMs: 0 }, { delayMs: 300 }, { delayMs: 600 }],
    })
    expect(Date.now() - START).toBe(900)
  })

  it.each([
    ['the response of the service', { status: 503 }, 'server_error'],
    ['a failed connection', { networkCode: 'ECONNRESET' }, 'network_error'],
  ])('ends the call during a delay with the failure before it: %s', async (_, end, code) => {
    vi.useRealTimers()
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { client } = clientOf(
      () => {
        // The program blocks the event loop until the time is over, so that the timer of the delay fires late.
        setTimeout(() => {
          const start = performance.now()
          while (performance.now() - start < 500);
        }, 20)
        if ('status' in end) return new Response(null, end)
        return Promise.reject(Object.assign(new Error('no'), { code: end.networkCode }))
      },
      { totalTimeoutMs: 450 },
    )
    expect(await errorOf(client.notes.get('n1'))).toMatchObject({ code, attempts: [end] })
  })

  it('ends the current attempt', async () => {
    const { client } = clientOf(() => new Promise<Response>(() => {}), { totalTimeoutMs: 80, maxRetries: 9 })
    const error = await errorOf(client.notes.get('n1'))
    expect(Date.now() - START).toBe(80)
    expect(error).toMatchObject({ code: 'timeout', attempts: [{ failure: 'timeout' }] })
    expect(String(error)).toContain(
      'no complete answer from https://notes.example within 10000 ms for an attempt and 80 ms in all, in 1 attempt',
    )
  })

  it('covers all attempts together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const options = { timeoutMs: 500, totalTimeoutMs: 1_900, maxRetries: 99 }
    const { client } = clientOf(() => new Promise<Response>(() => {}), options)
    const error = (await errorOf(client.notes.get('n1'))) as NotesClientError
    expect(error.code).toBe('timeout')
    expect(error.attempts).toHaveLength(3)
    expect(Date.now() - START).toBeLessThan(1_900)
  })

  it('can be set for one call, and for each page of a listing', async () => {
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

  it('can pass before the first request', async () => {
    vi.useRealTimers()
    const { client } = clientOf(() => Response.json(NOTE))
    const error = await errorOf(client.notes.get('n1', { totalTimeoutMs: Number.MIN_VALUE }))
    expect(error).toMatchObject({ code: 'timeout', attempts: [] })
  })
})

describe('a POST', () => {
  const refused = {
    'was refused with 429': () => new Response(null, { status: 429 }),
    'found no listening server': () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })),
    'found no such host': () =>
      Promise.reject(new Error('no', { cause: Object.assign(new Error('no'), { code: 'ENOTFOUND' }) })),
  }
  const endpoint = { endpoint_id: 'e1', signing_secret: 'whsec_x' }

  it.each(Object.keys(refused))('that %s is sent again, because the service did nothing', async (how) => {
    for (const call of ['sendTest', 'rotateSecret'] as const) {
      const ends = [refused[how as keyof typeof refused], () => Response.json(endpoint)]
      const { client, requests } = clientOf(() => ends.shift()?.())
      await client.webhookEndpoints[call]('e1')
      expect(requests).toHaveLength(2)
    }
  })

  it.each(Object.keys(refused))('that %s and creates an endpoint is not sent again', async (how) => {
    const { client, requests } = clientOf(refused[how as keyof typeof refused])
    const error = await errorOf(client.webhookEndpoints.create({ url: 'https://app.example', events: [] }))
    expect(error).toMatchObject({ attempts: [{}] })
    expect(requests).toHaveLength(1)
  })
})

describe('a signal', () => {
  it('ends a call whose fetch ignores its signal', async () => {
    const controller = new AbortController()
    const { client } = clientOf(() => {
      setTimeout(() => controller.abort(new Error('enough')), 10)
      return new Promise<Response>(() => {})
    })
    const error = await errorOf(client.notes.get('n1', { signal: controller.signal }))
    expect(error).toBe(controller.signal.reason)
    expect(Date.now() - START).toBe(10)
  })

  it('that a hook aborts prevents the request', async () => {
    const controller = new AbortController()
    const onRequest = () => controller.abort(new Error('enough'))
    const { client, requests } = clientOf(() => new Promise<Response>(() => {}), { hooks: { onRequest } })
    const error = await errorOf(client.notes.get('n1', { signal: controller.signal }))
    expect(error).toBe(controller.signal.reason)
    expect(requests).toEqual([])
    expect(Date.now()).toBe(START)
  })

  it.each(['enough', undefined, null, new TypeError('fetch failed')])(
    'rejects with its reason %s as it is',
    async (reason) => {
      for (const answer of [() => new Promise<Response>(() => {}), NOT_NOW]) {
        const controller = new AbortController()
        const { client } = clientOf(() => {
          setTimeout(() => controller.abort(reason), 10)
          return answer()
        })
        vi.spyOn(Math, 'random').mockReturnValue(1)
        const error = await errorOf(client.notes.get('n1', { signal: controller.signal }))
        expect(error).toBe(controller.signal.reason)
      }
    },
  )

  it('keeps no listener of a call that has ended', async () => {
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
  const times: number[] = []
  const announced: number[] = []
  const fetch = async (request: Request) => {
    requests.push(request)
    times.push(Date.now())
    return (await answer(request)) ?? new Response(null, { status: 418 })
  }
  const hooks = { onRetry: ({ delayMs }: { readonly delayMs: number }) => void announced.push(delayMs) }
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, hooks, ...options })
  /** The time between each request and the one before it. */
  const delays = () => times.slice(1).map((time, index) => time - (times[index] ?? 0))
  return { client, requests, announced, delays }
}
