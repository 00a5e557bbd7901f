import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OptionError } from '@notewire/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ManualClock } from '../../fixtures/manual-clock.ts'
import { passingHeaders } from '../../fixtures/passing-headers.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpMany } from '../../fixtures/set-up-many.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

const URL = 'https://receiver.test/hooks'

async function posting(body: ReadableStream, clock: ManualClock): Promise<Request> {
  const headers = await passingHeaders(clock.now())
  return new Request(URL, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

function streaming(chunks: readonly Uint8Array[], clock: ManualClock, events: string[] = []): Promise<Request> {
  const left = [...chunks]
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = left.shift()
        if (next === undefined) controller.close()
        else controller.enqueue(next)
        events.push('read')
      },
      cancel: () => void events.push('cancelled'),
    },
    { highWaterMark: 0 },
  )
  return posting(body, clock)
}

describe('fetch of a receiver', () => {
  const request = () => new Request(URL, { method: 'POST' })
  // What Node.js, Express, Fastify and Koa pass.
  const incoming = { method: 'POST', url: '/hooks', headers: {}, socket: {}, pipe: () => undefined }

  it.each<[string, unknown, RegExp]>([
    [
      'the context of Hono',
      { req: { raw: request(), method: 'POST', url: URL } },
      /\(c\) => receiver\.fetch\(c\.req\.raw\)/,
    ],
    ['the request of Hono', { raw: request(), method: 'POST', url: URL }, /\(c\) => receiver\.fetch\(c\.req\.raw\)/],
    ['an event of Nitro', { req: request() }, /\(\{ req \}\) => receiver\.fetch\(req\)/],
    ['an event with a request', { request: request() }, /\(\{ request \}\) => receiver\.fetch\(request\)/],
    ['a request of Node.js or Express', incoming, /nodeHandler\(receiver\).*expressHandler\(receiver\)/],
    ['a request of Fastify', { ...incoming, raw: incoming }, /fastifyPlugin/],
    ['the context of Koa', { req: incoming, request: { req: incoming } }, /nodeHandler\(receiver\)/],
    [
      'a Request of an older polyfill with a relative URL',
      { ...request(), method: 'POST', url: '/hooks', headers: new Headers() },
      /Web Request/,
    ],
    ['an event of AWS Lambda', { version: '2.0', requestContext: {}, headers: {} }, /lambdaHandler\(receiver\)/],
    ['nothing', undefined, /Web Request/],
    ['null', null, /Web Request/],
    ['a text', URL, /Web Request/],
  ])('rejects %s with an error that names the fix', async (_what, given, fix) => {
    const { receiver, logger } = setUpReceiver()
    const { for: receiverOf } = setUpMany().receiver
    for (const fetch of [receiver.fetch, receiverOf('acme').fetch]) {
      const fetching = fetch(given as Request)
      await expect(fetching).rejects.toThrow(OptionError)
      await expect(fetching).rejects.toMatchObject({ option: 'request', message: expect.stringMatching(fix) })
    }
    expect(logger.lines).toEqual([])
  })

  it('takes a Request of another implementation', async () => {
    const { receiver } = setUpReceiver()
    const own = request()
    const other = { method: 'POST', url: URL, headers: own.headers, body: null, bodyUsed: false } as unknown as Request
    expect((await receiver.fetch(other)).status).toBe(401)
  })

  it('in a server of Node.js, which gives it no Request, says which adapter to use', async () => {
    const { receiver } = setUpReceiver()
    const told = Promise.withResolvers<unknown>()
    const server = createServer((message, response) => {
      receiver.fetch(message as unknown as Request).catch(told.resolve)
      response.end()
    })
    server.listen(0)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, { method: 'POST', body: '{}' })
    expect(String(await told.promise)).toMatch(/option_invalid.*nodeHandler\(receiver\)/)
  })
})

describe('the body of a Web request', () => {
  it.each([
    ['has read', (request: Request) => request.json()],
    ['has read, and let go of,', (request: Request) => readToEnd(request.body?.getReader())],
    ['is about to read', async (request: Request) => request.body?.getReader()],
  ])('that other code %s cannot be verified: 500, and a log line that names the fix', async (_what, use) => {
    const { clock, receiver, logger } = setUpReceiver()
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }), { signedAt: clock.now() })
    const request = new Request(URL, { method: 'POST', ...attempt })
    await use(request)
    expect((await receiver.fetch(request)).status).toBe(500)
    expect(logger.lines).toEqual([expect.stringMatching(/^error .*Mount the receiver before any body parser/)])
  })

  it('that is missing counts as empty, and its signature does not match: 401', async () => {
    const { clock, logger, receiver } = setUpReceiver()
    const headers = await passingHeaders(clock.now())
    expect((await receiver.fetch(new Request(URL, { method: 'POST', headers }))).status).toBe(401)
    expect(logger.lines).toEqual([expect.stringContaining('no-matching-signature')])
  })

  it('is put together from its chunks, whatever their number and size', { timeout: 60_000 }, async () => {
    const { clock, receiver, outcomes } = setUpReceiver()
    const event = { ...anEvent({ kind: 'note.ended' }), padding: 'n'.repeat(20_000) }
    const { headers, body } = await signAttempt(TEST_SECRET, event, { signedAt: clock.now() })
    const bytes = Buffer.from(body)
    for (const size of [1, 7, 4_096, 5_000, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const request = new Request(await streaming(chunks, clock), { headers })
      expect((await receiver.fetch(request)).status).toBe(204)
    }
    expect(outcomes.map(({ status }) => status)).toEqual(['unhandled', ...Array(4).fill('duplicate')])
  })

  it('is read up to the cap and not on: 413, and the rest is cancelled', async () => {
    const { clock, receiver } = setUpReceiver({ maxBodyBytes: 1_000 })
    const events: string[] = []
    const chunks = Array.from({ length: 100 }, () => new Uint8Array(500))
    expect((await receiver.fetch(await streaming(chunks, clock, events))).status).toBe(413)
    await nextTurn()
    expect(events).toEqual(['read', 'read', 'read', 'cancelled'])
  })

  it('of exactly the cap is read', async () => {
    const { clock, logger, receiver } = setUpReceiver({ maxBodyBytes: 1_000 })
    const request = await streaming([new Uint8Array(400), new Uint8Array(600)], clock)
    expect((await receiver.fetch(request)).status).toBe(401)
    expect(logger.lines).toEqual([expect.stringContaining('no-matching-signature')])
  })

  it('that breaks off is answered 400', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the sender is gone')) })
    const { clock, receiver } = setUpReceiver()
    expect((await receiver.fetch(await posting(body, clock))).status).toBe(400)
  })

  it('that stalls is answered 408 at eight seconds, and cancelled', async () => {
    const { clock, receiver } = setUpReceiver()
    const asked = Promise.withResolvers<void>()
    let cancelled = false
    const body = new ReadableStream({
      pull: () => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      },
      cancel: () => {
        cancelled = true
      },
    })
    let answered = false
    const request = await posting(body, clock)
    const response = receiver.fetch(request).finally(() => {
      answered = true
    })
    await asked.promise
    await clock.advance(7_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await response).status).toBe(408)
    expect(cancelled).toBe(true)
  })
})

describe('arguments that a framework passes in addition to the request', () => {
  it('is ignored, and `fetch` needs no receiver to be called on', async () => {
    const { fetch } = setUpReceiver().receiver
    const loose: (request: Request, context: object) => Promise<Response> = fetch
    expect((await loose(new Request(URL), { params: {} })).status).toBe(404)
  })
})

async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
  reader?.releaseLock()
}
