import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hurriedClock } from '../fixtures/hurried-clock.ts'
import { type BodyForm, type GatewayKind, lambdaGateway, STAGE } from '../fixtures/lambda-gateway.ts'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { startServer } from '../fixtures/start-server.ts'
import { createReceiver, type Receiver } from '../receiver/receiver.ts'
import type { ReceiverOptions } from '../receiver/receiver-options.ts'
import { adapterChecks } from '../testing/adapter-checks.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { lambdaHandler } from './lambda.ts'

const KINDS: readonly GatewayKind[] = [
  'REST API',
  'HTTP API',
  'function URL',
  'load balancer',
  'load balancer, multi-value',
]
const FORMS: readonly BodyForm[] = ['text', 'base64']
const gateways = KINDS.flatMap((kind) => FORMS.map((form) => ({ kind, form })))

function setUp(options: Partial<ReceiverOptions> = {}) {
  const logger = recordingLogger()
  const applied: string[] = []
  const receiver = createReceiver({
    secret: TEST_SECRET,
    on: { 'note.ended': ({ data }) => void applied.push(data.note_id) },
    logger,
    ...options,
  })
  return { applied, logger, receiver }
}

describe.each(gateways)('behind a $kind that sends bodies as $form', ({ kind, form }) => {
  const start = (receiver: Receiver) => startServer(lambdaGateway(kind, form, lambdaHandler(receiver)))

  describe('passes every check of an adapter', () => {
    it.each(adapterChecks)('$name', ({ run }) => run(start))
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 404', async (method) => {
    await using server = await start(setUp().receiver)
    expect((await fetch(server.url, { method })).status).toBe(404)
  })

  it('answers a path as the service requests it, stage included', async () => {
    const stage = kind.endsWith('API') ? STAGE : ''
    const { applied, receiver } = setUp({ path: `${stage}/webhooks/notes` })
    await using server = await start(receiver)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const at = async (path: string) =>
      (await fetch(new URL(path, server.url), { method: 'POST', headers, body })).status
    expect(await at('/webhooks/notes?from=console')).toBe(204)
    expect(await at('/elsewhere')).toBe(404)
    expect(applied).toHaveLength(1)
  })
})

describe('bytes that are not UTF-8', () => {
  it('reach the verifier as they were, in base64', async () => {
    const { logger, receiver } = setUp()
    await using server = await startServer(lambdaGateway('HTTP API', 'base64', lambdaHandler(receiver)))
    const latin1 = Buffer.from('{"title":"nöte"}', 'latin1')
    const response = await fetch(server.url, { method: 'POST', headers: signedBytes(latin1), body: latin1 })
    // 400 and not 401: the signature was right, and what it covers is no JSON.
    expect(response.status).toBe(400)
    expect(logger.lines.join()).toContain('not JSON in UTF-8')
  })
})

describe('a handler that is slower than the service waits', () => {
  const slowly = (applied: string[]): ReceiverOptions['on'] => ({
    'note.ended': async ({ data }) => {
      await hurriedClock.sleep(12_000)
      applied.push(data.note_id)
    },
  })

  it('has ended when the invocation answers, and the process is frozen', async () => {
    const applied: string[] = []
    const { receiver } = setUp({ clock: hurriedClock, on: slowly(applied) })
    const handler = lambdaHandler(receiver)
    const event = anEvent({ kind: 'note.ended' })
    expect((await handler(await functionUrlEvent(event))).statusCode).toBe(204)
    expect(applied).toEqual(['note_1'])
    expect((await handler(await functionUrlEvent(event))).statusCode).toBe(204)
    expect(applied).toEqual(['note_1'])
  })

  it('holds up its own invocation alone', async () => {
    const applied: string[] = []
    const { receiver } = setUp({ clock: hurriedClock, on: slowly(applied) })
    const handler = lambdaHandler(receiver)
    const slow = handler(await functionUrlEvent(anEvent({ kind: 'note.ended' })))
    const quick = await handler(await functionUrlEvent(anEvent({ kind: 'endpoint.test' })))
    expect(quick.statusCode).toBe(204)
    expect(applied).toEqual([])
    expect((await slow).statusCode).toBe(204)
    expect(applied).toEqual(['note_1'])
  })
})

describe('an event that carries no request', () => {
  it('is answered 404', async () => {
    expect((await lambdaHandler(setUp().receiver)({})).statusCode).toBe(404)
  })
})

describe('a middleware that parsed the body', () => {
  it('leaves nothing to verify: 500 at once, and a log line that says so', async () => {
    const { logger, receiver } = setUp()
    const event = await functionUrlEvent(anEvent({ kind: 'note.ended' }))
    const parsed = Object.assign(event, { body: JSON.parse(event.body) })
    expect((await lambdaHandler(receiver)(parsed)).statusCode).toBe(500)
    expect(logger.lines.join()).toContain('the request body was parsed before')
  })
})

async function functionUrlEvent(payload: object) {
  const { headers, body } = await signAttempt(TEST_SECRET, payload)
  return { rawPath: '/', headers, body, isBase64Encoded: false, requestContext: { http: { method: 'POST' } } }
}

function signedBytes(bytes: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(TEST_SECRET.slice('whsec_'.length), 'base64url')
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.`).update(bytes).digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
