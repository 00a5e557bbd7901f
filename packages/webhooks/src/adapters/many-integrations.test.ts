import { once } from 'node:events'
import { type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import express from 'express'
import express4 from 'express4'
import { type FastifyInstance, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { adapterChecksOfMany } from '../../fixtures/adapter-checks-of-many.ts'
import { type GatewayKind, lambdaGateway } from '../../fixtures/lambda-gateway.ts'
import { secretOf } from '../../fixtures/secret-of.ts'
import { startServer } from '../../fixtures/start-server.ts'
import { createReceivers } from '../receiver/receiver.ts'
import type { Receivers } from '../receiver/receiver-interface.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { fastifyPlugin } from './fastify.ts'
import { type LambdaHttpEvent, lambdaHandler } from './lambda.ts'
import { pagesHandler, routeHandler } from './next.ts'
import { nodeHandler } from './node.ts'

const ROUTE = '/webhooks/notes/:integration'

/** The decoded last segment of a path. Throws if it is malformed. */
const lastSegment = (path = '') => decodeURIComponent(/^\/webhooks\/notes\/([^/?]+)$/.exec(path)?.[1] ?? '')

const listeners: readonly [string, (receiver: Receivers) => RequestListener][] = [
  ['node:http', (receiver) => nodeHandler(receiver, { integrationOf: ({ url }) => lastSegment(url) })],
  ['Express 5', (receiver) => express().post(ROUTE, expressHandler(receiver))],
  ['Express 4', (receiver) => express4().post(ROUTE, expressHandler(receiver))],
  ['Express 5, mounted', (receiver) => express().use(ROUTE, expressHandler(receiver))],
  ['the pages router of Next', (receiver) => pagesRouter(receiver)],
  ['the app router of Next', (receiver) => appRouter(receiver)],
  ['a fetch handler', (receiver) => fetchServer((web, id) => receiver.for(id).fetch(web))],
  ...(['REST API', 'HTTP API'] as const).map((kind): [string, (receiver: Receivers) => RequestListener] => [
    `Lambda behind a ${kind}`,
    (receiver) => lambdaGateway(kind, 'text', lambdaHandler(receiver)),
  ]),
  ...(['function URL', 'load balancer'] satisfies GatewayKind[]).map(
    (kind): [string, (receiver: Receivers) => RequestListener] => [
      `Lambda behind a ${kind}`,
      (receiver) =>
        lambdaGateway(
          kind,
          'text',
          lambdaHandler(receiver, { integrationOf: ({ rawPath, path }) => lastSegment(rawPath ?? path) }),
        ),
    ],
  ),
]

describe.each(listeners)('%s with the receivers of many integrations', (_name, mount) => {
  it.each(adapterChecksOfMany)('$name', ({ run }) => run((receiver) => startServer(mount(receiver))))

  it('refuses a path with dots or malformed escapes, and does not call secretOf', async () => {
    const asked: string[] = []
    const receiver = createReceivers({ secretOf: (id) => void asked.push(id), on: {}, logger: silent() })
    await using server = await startServer(mount(receiver))
    const { headers, body } = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.ended' }))
    for (const path of ['%2e%2e', '..', '.', '%2e', '../notes/..', 'acme%00', '']) {
      const sent = request({
        port: server.port,
        host: '127.0.0.1',
        path: `/webhooks/notes/${path}`,
        method: 'POST',
        headers,
      })
      sent.end(body)
      const [{ statusCode }] = await once(sent, 'response')
      expect([400, 404]).toContain(statusCode)
    }
    expect(asked).toEqual([])
  })
})

describe.each<[string, (app: FastifyInstance, receiver: Receivers) => unknown]>([
  ['Fastify', (app, receiver) => app.register(fastifyPlugin, { receiver, url: ROUTE })],
  [
    'Fastify, under a prefix',
    (app, receiver) => app.register(fastifyPlugin, { receiver, url: '/:integration', prefix: '/webhooks/notes' }),
  ],
])('%s with the receivers of many integrations', (_name, register) => {
  it.each(adapterChecksOfMany)('$name', ({ run }) =>
    run(async (receiver) => {
      const app = fastify()
      register(app, receiver)
      await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as AddressInfo
      const close = async () => {
        app.server.closeAllConnections()
        await app.close()
      }
      return { url: `http://127.0.0.1:${port}/webhooks/notes`, close }
    }),
  )
})

describe('Fastify with the longest ids', () => {
  it.each<[number | undefined, number, number]>([
    [undefined, 100, 204],
    [undefined, 101, 414],
    [128, 128, 204],
    [128, 129, 414],
  ])('with maxParamLength %s, answers to an id of %i characters with %i', async (maxParamLength, length, status) => {
    const receiver = createReceivers({
      secretOf: (integration) => secretOf(integration),
      on: {},
      logger: silent(),
    })
    const app = fastify(maxParamLength === undefined ? {} : { routerOptions: { maxParamLength } })
    app.register(fastifyPlugin, { receiver, url: ROUTE })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const id = 'x'.repeat(length)
    const attempt = await signAttempt(secretOf(id), anEvent({ kind: 'note.ended' }))
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks/notes/${id}`, { method: 'POST', ...attempt })
    app.server.closeAllConnections()
    await app.close()
    expect(answer.status).toBe(status)
  })
})

describe('an adapter', () => {
  const many = createReceivers({ secretOf: (integration) => secretOf(integration), on: {}, logger: silent() })

  it('without route parameters needs integrationOf with the receivers of many', async () => {
    // @ts-expect-error integrationOf is missing
    await using server = await startServer(nodeHandler(many))
    const attempt = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.ended' }))
    expect((await fetch(server.url, { method: 'POST', ...attempt })).status).toBe(404)
  })

  it('accepts the receiver of one of many integrations', async () => {
    await using server = await startServer(nodeHandler(many.for('acme')))
    const attempt = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.ended' }))
    expect((await fetch(server.url, { method: 'POST', ...attempt })).status).toBe(204)
  })

  it('of Next answers 404 without the parameter, and accepts parameters without a promise, as before Next 15', async () => {
    const post = async (params: unknown) => {
      const attempt = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.ended' }))
      const web = new Request('https://receiver.test/', { method: 'POST', ...attempt })
      return (await routeHandler(many)(web, { params } as never)).status
    }
    expect(await post({ integration: 'acme' })).toBe(204)
    expect(await post(Promise.resolve({ integration: ['acme'] }))).toBe(404)
    expect(await post(Promise.resolve({ id: 'acme' }))).toBe(404)
    expect(await post(undefined)).toBe(404)
  })

  it('of Lambda answers 404 to an event without path parameters', async () => {
    const { headers, body } = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.ended' }))
    const event: LambdaHttpEvent = { httpMethod: 'POST', path: '/webhooks/notes/acme', headers, body }
    const post = async (more: LambdaHttpEvent) => (await lambdaHandler(many)({ ...event, ...more })).statusCode
    expect(await post({})).toBe(404)
    expect(await post({ pathParameters: null })).toBe(404)
    expect(await post({ pathParameters: { proxy: 'acme' } })).toBe(404)
    expect(await post({ pathParameters: { integration: 'acme' } })).toBe(204)
  })
})

/** Simulates how Next calls the handler of `pages/api/webhooks/notes/[integration].ts`. */
function pagesRouter(receiver: Receivers): RequestListener {
  const handler = pagesHandler(receiver)
  return (incoming, response) => {
    const integration = routed(incoming.url)
    if (integration === undefined) response.writeHead(404).end()
    else void handler(Object.assign(incoming, { query: { integration } }), response)
  }
}

/** Simulates how Next calls `app/webhooks/notes/[integration]/route.ts`. */
function appRouter(receiver: Receivers): RequestListener {
  const POST = routeHandler(receiver)
  return fetchServer((web, integration = '') => POST(web, { params: Promise.resolve({ integration }) }))
}

function fetchServer(handle: (web: Request, id: string | undefined) => Promise<Response>): RequestListener {
  return async (incoming, response) => {
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
    const body = Readable.toWeb(incoming) as ReadableStream
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const answer = await handle(new Request('http://receiver.test/', init), routed(incoming.url))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  }
}

/** The parameter as a router passes it: decoded, or a malformed text. */
function routed(url: string | undefined): string | undefined {
  try {
    return lastSegment(url) || undefined
  } catch {
    return '%zz'
  }
}

function silent() {
  return { info: () => undefined, warn: () => undefined, error: () => undefined }
}
