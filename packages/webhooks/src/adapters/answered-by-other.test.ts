import type { AddressInfo } from 'node:net'
import express from 'express'
import { type FastifyInstance, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { fastifyPlugin } from './fastify.ts'
import { nodeHandler } from './node.ts'

const PATH = '/webhooks/notes'

function setUp() {
  const logger = recordingLogger()
  const applied: string[] = []
  const on = { 'note.ended': ({ event_id }: { event_id: string }) => void applied.push(event_id) }
  return { receiver: createReceiver({ secret: TEST_SECRET, logger, on }), logger, applied }
}

it.each<[string, (receiver: ReturnType<typeof setUp>['receiver']) => Promise<Parameters<typeof startServer>[0]>]>([
  [
    'a middleware of Express',
    async (receiver) =>
      express()
        .use((_request, response, next) => {
          response.json({ ok: true })
          next()
        })
        .post(PATH, expressHandler(receiver)),
  ],
  [
    'the program around node:http',
    async (receiver) => (request, response) => {
      response.writeHead(200)
      nodeHandler(receiver)(request, response)
      response.end()
    },
  ],
])('a response that %s has sent is logged, and the event is processed', async (_who, serve) => {
  const { receiver, logger, applied } = setUp()
  await using server = await startServer(await serve(receiver))
  const event = anEvent({ kind: 'note.ended' })
  const attempt = await signAttempt(TEST_SECRET, event)
  const response = await fetch(server.url, { method: 'POST', ...attempt })
  expect(response.status).toBe(200)
  await expect
    .poll(() => logger.lines)
    .toEqual([
      expect.stringMatching(/^error other code has sent a response.*mount the receiver before it.*"status":204/),
    ])
  expect(applied).toEqual([event.event_id])
})

it('a receiver that answers itself logs nothing', async () => {
  const { receiver, logger } = setUp()
  await using server = await startServer(nodeHandler(receiver))
  const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
  expect((await fetch(server.url, { method: 'POST', ...attempt })).status).toBe(204)
  expect(logger.lines).toEqual([])
})

describe('a hook of Fastify', () => {
  async function statusOf(app: FastifyInstance, receiver: ReturnType<typeof setUp>['receiver']): Promise<number> {
    app.register(fastifyPlugin, { receiver, url: PATH })
    await app.listen({ host: '127.0.0.1', port: 0 })
    try {
      const { port } = app.server.address() as AddressInfo
      const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
      return (await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', ...attempt })).status
    } finally {
      await app.close()
    }
  }

  it.each<[string, (app: FastifyInstance) => FastifyInstance]>([
    ['onRequest, with reply.send', (app) => app.addHook('onRequest', async (_, reply) => reply.send('ok'))],
    ['preHandler, with reply.send', (app) => app.addHook('preHandler', async (_, reply) => reply.send('ok'))],
    [
      'preValidation, which goes on',
      (app) =>
        app.addHook('preValidation', (_, reply, done) => {
          reply.send('ok')
          done()
        }),
    ],
    [
      'preHandler, with the response of Node.js',
      (app) => app.addHook('preHandler', async (_, reply) => void reply.raw.end()),
    ],
    [
      'onRequest, which only sends the head',
      (app) => app.addHook('onRequest', async (_, reply) => void reply.raw.writeHead(200).write('ok')),
    ],
  ])('that answers is logged: %s', async (_, hooked) => {
    const { receiver, logger } = setUp()
    const app = hooked(fastify())
    const sending = statusOf(app, receiver)
    await expect
      .poll(() => logger.lines.filter((line) => !line.includes('an empty store in memory')))
      .toEqual([expect.stringMatching(/^error other code has sent a response.*hook that calls reply\.send/)])
    app.server.closeAllConnections()
    await sending.catch(() => undefined)
  })

  it.each([401, 429])('that refuses a request with %i is not logged', async (status) => {
    const { receiver, logger, applied } = setUp()
    const app = fastify().addHook('onRequest', async (_, reply) => reply.code(status).send())
    expect(await statusOf(app, receiver)).toBe(status)
    expect(logger.lines).toEqual([])
    expect(applied).toEqual([])
  })
})
