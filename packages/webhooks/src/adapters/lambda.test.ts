import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { type BodyForm, type GatewayKind, lambdaGateway, STAGE } from '../../fixtures/lambda-gateway.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { adapterChecks } from '../testing/adapter-checks.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { type LambdaHttpEvent, lambdaHandler } from './lambda.ts'

const KINDS: readonly GatewayKind[] = [
  'REST API',
  'HTTP API',
  'function URL',
  'load balancer',
  'load balancer, multi-value',
]
const FORMS: readonly BodyForm[] = ['text', 'base64']
const gateways = KINDS.flatMap((kind) => FORMS.map((form) => ({ kind, form })))

describe.each(gateways)('behind a $kind that sends bodies as $form', ({ kind, form }) => {
  const start = (receiver: Receiver) => startServer(lambdaGateway(kind, form, lambdaHandler(receiver)))

  describe('passes every check of an adapter', () => {
    it.each(adapterChecks)('$name', ({ run }) => run(start))
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 404', async (method) => {
    await using server = await start(recordingReceiver().receiver)
    expect((await fetch(server.url, { method })).status).toBe(404)
  })

  it('answers a path as the service requests it, stage included', async () => {
    const stage = kind.endsWith('API') ? STAGE : ''
    const { applied, receiver } = recordingReceiver({ path: `${stage}/webhooks/notes` })
    await using server = await start(receiver)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const at = async (path: string) =>
      (await fetch(new URL(path, server.url), { method: 'POST', headers, body })).status
    expect(await at('/webhooks/notes?from=console')).toBe(204)
    expect(await at('/elsewhere')).toBe(404)
    expect(applied).toHaveLength(1)
  })
})

describe('an event with single and multi-value headers, as a REST API gives them', () => {
  const invoke = async (change: (headers: Readonly<Record<string, string>>) => Partial<LambdaHttpEvent>) => {
    const { logger, receiver } = recordingReceiver()
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const { statusCode } = await lambdaHandler(receiver)({ httpMethod: 'POST', path: '/', body, ...change(headers) })
    return { statusCode, log: logger.lines.join() }
  }
  const lists = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

  it('is verified by the multi-value headers: a repeated header is refused', async () => {
    const { statusCode, log } = await invoke((headers) => ({
      headers,
      multiValueHeaders: { ...lists(headers), 'webhook-id': ['msg_other', headers['webhook-id'] ?? ''] },
    }))
    expect(statusCode).toBe(401)
    expect(log).toContain('the header webhook-id occurs more than once')
  })

  it('is verified by the multi-value headers only', async () => {
    const swapped = await invoke((headers) => ({ headers: {}, multiValueHeaders: lists(headers) }))
    expect(swapped.statusCode).toBe(204)
    expect((await invoke((headers) => ({ headers, multiValueHeaders: {} }))).statusCode).toBe(401)
  })

  it.each([null, undefined])('is verified by the single headers if the others are %s', async (multiValueHeaders) => {
    expect((await invoke((headers) => ({ headers, multiValueHeaders }))).statusCode).toBe(204)
  })
})

describe('bytes that are not UTF-8', () => {
  it('reach the verifier unchanged, in base64', async () => {
    const { logger, receiver } = recordingReceiver()
    await using server = await startServer(lambdaGateway('HTTP API', 'base64', lambdaHandler(receiver)))
    const latin1 = Buffer.from('{"title":"nöte"}', 'latin1')
    const response = await fetch(server.url, { method: 'POST', headers: signedBytes(latin1), body: latin1 })
    // 400, not 401: the signature matches, but the body is not JSON.
    expect(response.status).toBe(400)
    expect(logger.lines.join()).toContain('not JSON in UTF-8')
  })
})

describe('a handler that is slower than the service waits', () => {
  const setUpSlow = () => {
    const clock = new ManualClock()
    const slow = heldHandler()
    const applied: string[] = []
    const apply = async ({ event_id }: { event_id: string }) => {
      await slow.handle()
      applied.push(event_id)
    }
    const handler = lambdaHandler(recordingReceiver({ clock, on: { 'note.ended': apply } }).receiver)
    const invoke = async (event: object) => handler(await functionUrlEvent(event, clock.now()))
    return { applied, clock, invoke, slow }
  }

  it('ends before the invocation returns and the process is frozen', async () => {
    const { applied, clock, invoke, slow } = setUpSlow()
    const event = anEvent({ kind: 'note.ended' })
    let answered = false
    const invocation = invoke(event).finally(() => {
      answered = true
    })
    await slow.begun
    await clock.advance(12_000)
    expect(answered).toBe(false)
    slow.end()
    expect((await invocation).statusCode).toBe(204)
    expect(applied).toEqual([event.event_id])
    expect((await invoke(event)).statusCode).toBe(204)
    expect(applied).toEqual([event.event_id])
  })

  it('does not delay other invocations', async () => {
    const { applied, clock, invoke, slow } = setUpSlow()
    const invocation = invoke(anEvent({ kind: 'note.ended' }))
    await slow.begun
    await clock.advance(12_000)
    expect((await invoke(anEvent({ kind: 'endpoint.test' }))).statusCode).toBe(204)
    expect(applied).toEqual([])
    slow.end()
    expect((await invocation).statusCode).toBe(204)
  })

  it('makes the invocation return 500 if it fails', async () => {
    const { clock, invoke, slow } = setUpSlow()
    const invocation = invoke(anEvent({ kind: 'note.ended' }))
    await slow.begun
    await clock.advance(12_000)
    slow.fail(new Error('it could not be saved'))
    expect((await invocation).statusCode).toBe(500)
  })
})

describe('a header that `Headers` does not accept', () => {
  it.each([
    ['x-city', '\u6771\u4eac'],
    ['x-city', 'a\nb'],
    ['not a name', 'x'],
    ['', 'x'],
  ])('is missing in the headers of a handler: %j %j', async (name, value) => {
    const read: unknown[] = []
    const { logger, receiver } = recordingReceiver({
      on: { 'note.ended': (_event, { headers }) => void read.push(headers.get('content-type'), headers.get('x-city')) },
    })
    const event = await functionUrlEvent(anEvent({ kind: 'note.ended' }))
    const headers = { ...event.headers, 'content-type': 'application/json', [name]: value }
    expect((await lambdaHandler(receiver)({ ...event, headers })).statusCode).toBe(204)
    expect(read).toEqual(['application/json', null])
    expect(logger.lines).toEqual([])
  })
})

describe('a middleware that parsed the body', () => {
  it('makes verification impossible: 500 at once, and a log line with the cause', async () => {
    const { logger, receiver } = recordingReceiver()
    const event = await functionUrlEvent(anEvent({ kind: 'note.ended' }))
    const parsed = Object.assign(event, { body: JSON.parse(event.body) })
    expect((await lambdaHandler(receiver)(parsed)).statusCode).toBe(500)
    expect(logger.lines.join()).toContain('the request body was parsed before')
  })
})

async function functionUrlEvent(payload: object, signedAt = Date.now()) {
  const { headers, body } = await signAttempt(TEST_SECRET, payload, { signedAt })
  return { rawPath: '/', headers, body, isBase64Encoded: false, requestContext: { http: { method: 'POST' } } }
}

function signedBytes(bytes: Uint8Array): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(TEST_SECRET.slice('whsec_'.length), 'base64url')
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.`).update(bytes).digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
