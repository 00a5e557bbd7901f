import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import { createReceiver } from '../receiver/receiver.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { adapterChecks } from '../testing/adapter-checks.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { pagesHandler } from './next.ts'

// Simulates how Next calls the handler of an API route. The tests of `examples/next-app` run Next itself.
function pagesRouter(receiver: Receiver, { bodyParser }: { readonly bodyParser: boolean }, errors: unknown[] = []) {
  const handler = pagesHandler(receiver)
  const listener: RequestListener = async (request, response) => {
    if (bodyParser) Object.assign(request, { body: JSON.parse((await text(request)) || '{}') })
    await handler(request, response).catch((error) => {
      errors.push(error)
      response.writeHead(500).end('Internal Server Error')
    })
  }
  return listener
}

function setUp() {
  const applied: string[] = []
  const receiver = createReceiver({
    secret: TEST_SECRET,
    on: { 'note.ended': ({ event_id }) => void applied.push(event_id) },
    logger: recordingLogger(),
  })
  return { applied, receiver }
}

describe('an API route of the pages router', () => {
  describe('passes every check of an adapter', () => {
    it.each(adapterChecks)('$name', ({ run }) =>
      run((receiver) => startServer(pagesRouter(receiver, { bodyParser: false }))),
    )
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 404', async (method) => {
    await using server = await startServer(pagesRouter(setUp().receiver, { bodyParser: false }))
    expect((await fetch(server.url, { method })).status).toBe(404)
  })

  it.each(['POST', 'GET'])('throws an error with the fix if Next parsed the body of a %s', async (method) => {
    const { applied, receiver } = setUp()
    const errors: unknown[] = []
    await using server = await startServer(pagesRouter(receiver, { bodyParser: true }, errors))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const response = await fetch(server.url, { method, headers, ...(method === 'POST' ? { body } : {}) })
    expect(response.status).toBe(500)
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'body_already_parsed',
        message: expect.stringContaining('export const config = { api: { bodyParser: false } }'),
      }),
    ])
    expect(applied).toEqual([])
  })

  it('verifies the bytes that a custom server has kept', async () => {
    const { applied, receiver } = setUp()
    const handler = pagesHandler(receiver)
    await using server = await startServer(async (request, response) => {
      const rawBody = Buffer.concat(await request.toArray())
      await handler(Object.assign(request, { rawBody, body: JSON.parse(String(rawBody)) }), response)
    })
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await fetch(server.url, { method: 'POST', headers, body })).status).toBe(204)
    expect(applied).toHaveLength(1)
  })
})

describe('a route of the app router', () => {
  it('can be `receiver.fetch`, which ignores the second argument', async () => {
    const { applied, receiver } = setUp()
    const POST: (request: Request, context: object) => Promise<Response> = receiver.fetch
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const request = new Request('https://app.example/webhooks/notes', { method: 'POST', ...attempt })
    expect((await POST(request, { params: Promise.resolve({}) })).status).toBe(204)
    expect(applied).toHaveLength(1)
  })
})
