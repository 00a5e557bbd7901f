import express from 'express'
import { expect, it } from 'vitest'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { startServer } from '../fixtures/start-server.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
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
