import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express from 'express'
import express4 from 'express4'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { lambdaHandler } from './lambda.ts'
import { pagesHandler, routeHandler } from './next.ts'
import { nodeHandler } from './node.ts'

type Handler = (...given: never[]) => unknown
/** What a framework gives to a handler. Resolves with it, while the request waits. */
type Framework = (sent: { headers: Record<string, string>; body: string }) => Promise<readonly unknown[]>

const adapters: readonly [string, (receiver: Receiver) => Handler][] = [
  ['receiver.fetch', ({ fetch }) => fetch],
  ['routeHandler', routeHandler],
  ['nodeHandler', nodeHandler],
  ['expressHandler', expressHandler],
  ['pagesHandler', pagesHandler],
  ['lambdaHandler', (receiver) => lambdaHandler(receiver)],
]

const overHttp =
  (
    mount: (give: (...given: unknown[]) => void) => (request: IncomingMessage, response: ServerResponse) => unknown,
  ): Framework =>
  async ({ headers, body }) => {
    const given = Promise.withResolvers<readonly unknown[]>()
    const server = createServer(mount((...values) => given.resolve(values))).listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    fetch(`http://127.0.0.1:${port}/webhooks/notes`, { method: 'POST', headers, body }).catch(() => undefined)
    const values = await given.promise
    setTimeout(() => server.close().closeAllConnections(), 3_000).unref()
    return values
  }

const never = () => new Promise<never>(() => undefined)

const frameworks: readonly [string, Framework, readonly string[]][] = [
  ['node:http', overHttp((give) => give), ['nodeHandler', 'expressHandler', 'pagesHandler']],
  ['Express 5', overHttp((give) => express().use(give)), ['nodeHandler', 'expressHandler', 'pagesHandler']],
  ['Express 4', overHttp((give) => express4().use(give)), ['nodeHandler', 'expressHandler', 'pagesHandler']],
  [
    'Koa',
    overHttp((give) =>
      new Koa()
        .use((...given) => {
          give(...given)
          return never()
        })
        .callback(),
    ),
    [],
  ],
  [
    'Fastify',
    async ({ headers, body }) => {
      const given = Promise.withResolvers<readonly unknown[]>()
      const app = fastify()
      app.post('/', (...values) => {
        given.resolve(values)
        return never()
      })
      app.inject({ method: 'POST', url: '/', headers, payload: body }).catch(() => undefined)
      return await given.promise
    },
    [],
  ],
  [
    'Hono',
    async ({ headers, body }) => {
      const given = Promise.withResolvers<readonly unknown[]>()
      const app = new Hono().post('/', (...values) => {
        given.resolve(values)
        return never()
      })
      void app.request('/', { method: 'POST', headers, body })
      return await given.promise
    },
    [],
  ],
  [
    'node:http2',
    async ({ headers, body }) => {
      const server = createHttp2Server().listen(0)
      await once(server, 'listening')
      const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      session.request({ ':method': 'POST', ':path': '/', ...headers }).end(body)
      const values = await once(server, 'request')
      setTimeout(() => {
        session.destroy()
        server.close()
      }, 3_000).unref()
      return values
    },
    ['nodeHandler', 'expressHandler', 'pagesHandler'],
  ],
  [
    'an API gateway',
    async (sent) => [{ ...sent, httpMethod: 'POST', path: '/', requestContext: { path: '/' } }, {}],
    ['lambdaHandler'],
  ],
  [
    'the app router of Next',
    async (sent) => [
      new Request('https://x.test/webhooks/notes', { method: 'POST', ...sent }),
      { params: Promise.resolve({ integration: 'acme' }) },
    ],
    ['receiver.fetch', 'routeHandler'],
  ],
  ['a runner of texts', async ({ body }) => [body, undefined], []],
  ['a call without arguments', async () => [], []],
]

describe.each(frameworks)('what %s gives to a handler', (_framework, give, takers) => {
  it.each(adapters)(
    'works with %s, or is refused with an error that names the way, before a handler runs',
    async (name, mount) => {
      const { applied, logger, receiver } = recordingReceiver()
      const given = await give(await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' })))
      const error = await (async () => mount(receiver)(...(given as never[])))().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (takers.includes(name)) {
        expect(error).toBeUndefined()
        await expect.poll(() => applied).toHaveLength(1)
        return
      }
      expect(error).toMatchObject({ code: 'option_invalid' })
      expect(String(error)).toMatch(/nodeHandler|expressHandler|fastifyPlugin|lambdaHandler|receiver\.fetch/)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(applied).toEqual([])
      expect(logger.lines).toEqual([])
    },
  )
})
