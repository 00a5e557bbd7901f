import express from 'express'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { startServer } from '../fixtures/start-server.ts'
import { expressHandler } from './adapters/express.ts'
import { lambdaHandler } from './adapters/lambda.ts'
import { explainDelivery } from './explain-delivery.ts'
import { queuedEvent, storable } from './queue-jobs.ts'
import { createReceiver } from './receiver/receiver.ts'
import { memoryStore } from './stores/memory-store.ts'
import { anEvent } from './testing/an-event.ts'
import { signAttempt } from './testing/sign-attempt.ts'
import { unwrap } from './unwrap.ts'
import { createVerifier } from './verify.ts'

const PATH = '/webhooks/notes'
const EVENT = anEvent({ kind: 'note.ended', noteId: 'nöte' })
const signed = await signAttempt(TEST_SECRET, EVENT)
const bytes = new TextEncoder().encode(signed.body)
const problemOf = (body: unknown, headers: unknown = signed.headers, secret = TEST_SECRET) =>
  unwrap(body as string, headers as Headers, secret).then(
    () => 'verified',
    (error: unknown) => String(error),
  )

describe('a body', () => {
  it.each([
    ['text', (raw: Buffer) => raw.toString()],
    ['bytes', (raw: Buffer) => raw],
    ['an ArrayBuffer', (raw: Buffer) => Uint8Array.from(raw).buffer],
  ])('that a parser kept in req.rawBody as %s is verified', async (_, kept) => {
    const { applied, receiver } = recordingReceiver()
    const verify = (request: object, _response: unknown, raw: Buffer) =>
      void Object.assign(request, { rawBody: kept(raw) })
    const app = express().use(express.json({ verify })).post(PATH, expressHandler(receiver))
    await using server = await startServer(app)
    expect((await fetch(server.url, { method: 'POST', ...signed })).status).toBe(204)
    expect(applied).toEqual([EVENT.event_id])
  })

  it.each([
    ['an ArrayBuffer', bytes.buffer, /is an ArrayBuffer.*new Uint8Array\(arrayBuffer\)/],
    ['a promise', Promise.resolve(signed.body), /is a promise.*await/],
    ['nothing', undefined, /is missing/],
    ['an object', EVENT, /is a parsed object/],
    ['a view', new DataView(bytes.buffer), /is a DataView, not its bytes/],
    ['a list of numbers', new Uint16Array(2), /is a Uint16Array, not its bytes/],
    ['empty', '', /the body is empty.*Another program may have read it/],
    ['a request', new Request('https://a.example'), /is a Request, which must be read first/],
  ])('that is %s is refused with what to write', async (_, body, problem) => {
    expect(await problemOf(body)).toMatch(problem)
  })

  it.each(['UTF-8', 'utf8', 'identity'])('with Content-Encoding: %s is not compressed', async (encoding) => {
    const { receiver } = recordingReceiver()
    const headers = { ...signed.headers, 'content-encoding': encoding }
    const request = new Request(`https://a.example${PATH}`, { method: 'POST', headers, body: signed.body })
    expect((await receiver.fetch(request)).status).toBe(204)
  })

  it.each([
    ['as ASCII', Buffer.from(bytes).toString('ascii')],
    ['as ASCII by TextDecoder', new TextDecoder('ascii').decode(bytes)],
    ['as strict ASCII', signed.body.replace('ö', '\ufffd\ufffd')],
    ['in two parts that split a character', splitInCharacter(bytes)],
  ])('that was decoded %s is explained', async (_, body) => {
    const problem = await problemOf(body, { ...signed.headers, 'content-length': `${bytes.length}` })
    expect(problem).toMatch(/decoded wrongly.*pass the bytes/i)
    const explained = await explainDelivery(
      body,
      { ...signed.headers, 'content-length': `${bytes.length}` },
      TEST_SECRET,
    )
    expect(explained).toMatchObject({ causes: [{ code: 'body_encoding' }] })
  })

  it("that Middy's parser replaced is read from rawBody, or the log names the parser", async () => {
    const { logger, receiver } = recordingReceiver()
    const event = { httpMethod: 'POST', path: PATH, headers: signed.headers, body: EVENT as unknown as string }
    const handler = lambdaHandler(receiver)
    expect((await handler({ ...event, rawBody: signed.body } as typeof event)).statusCode).toBe(204)
    expect((await handler(event)).statusCode).toBe(500)
    expect(logger.lines.join()).toMatch(/Middy.*httpJsonBodyParser/)
  })
})

describe('headers', () => {
  const { headers } = signed

  it.each([
    ['a promise', Promise.resolve(headers), /headers is a promise: await it/],
    ['a list', Object.entries(headers).flat(), /headers is a list.*request\.headers/],
    ['one value', 'v1,', /headers is not an object/],
    ['the request', { headers }, /headers is a request.*request\.headers/],
  ])('that are %s are refused with what to write', async (_, given, problem) => {
    expect(await problemOf(signed.body, given)).toMatch(problem)
    const verify = createVerifier({ secret: TEST_SECRET })
    await expect(verify(signed.body, given as unknown as Headers)).rejects.toThrow(problem)
  })

  it.each(['m, m', 'm,other', 'other, m'])(
    'with a webhook-id that Node.js joined are explained: %s',
    async (joined) => {
      const own = await signAttempt(TEST_SECRET, EVENT, { webhookId: 'm' })
      const problem = await problemOf(own.body, { ...own.headers, 'webhook-id': joined })
      expect(problem).toMatch(/webhook-id occurs more than once/)
      expect(problem).not.toContain('secret')
    },
  )

  it('with a timestamp that Node.js joined are explained', async () => {
    const time = headers['webhook-timestamp']
    expect(await problemOf(signed.body, { ...headers, 'webhook-timestamp': `${time}, ${time}` })).toMatch(
      /occurs twice/,
    )
  })
})

describe('a secret', () => {
  it.each(['"', "'", '`'])('in quotes is refused for its quotes: %s', async (quote) => {
    const secret = `${quote}${TEST_SECRET}${quote}`
    expect(await problemOf(signed.body, signed.headers, secret)).toMatch(/has quotes around it.*Remove them/)
    expect(() => createReceiver({ secret, on: {} })).toThrow(/has quotes around it/)
  })

  it.each<[string, unknown, RegExp]>([
    ['an API key', 'ntw_live_k7.s3cret', /is an API key.*Pass the signing secret/],
    ['with the name of its variable', `NOTES_SIGNING_SECRET=${TEST_SECRET}`, /name of its variable before it/],
    ['in JSON', JSON.stringify({ secret: TEST_SECRET }), /is JSON.*Parse it/],
    ['a promise', Promise.resolve(TEST_SECRET), /is a promise.*await/],
    ['bytes', new TextEncoder().encode(TEST_SECRET), /is not a string.*Pass the text/],
  ])('that is %s is refused without the advice to rotate it', async (_, given, problem) => {
    const secret = given as string
    for (const said of [
      await problemOf(signed.body, signed.headers, secret),
      await Promise.resolve()
        .then(() => createReceiver({ secret, on: {} }))
        .catch(String),
    ]) {
      expect(said).toMatch(problem)
      expect(said).not.toMatch(/rotate|s3cret|bm90LW/)
    }
  })

  it('that is swapped with the headers is not blamed', async () => {
    expect(await problemOf(signed.body, TEST_SECRET, signed.headers as never)).toMatch(/headers is not an object/)
    const noBody = unwrap(new Request('https://a.example') as never, undefined as never, undefined)
    await expect(noBody).rejects.toThrow(/is a Request, which must be read first/)
  })

  it('that is swapped with the payload is refused', async () => {
    const swapped = [
      () => signAttempt(EVENT as unknown as string, TEST_SECRET),
      () => signAttempt(JSON.stringify(EVENT), TEST_SECRET),
    ]
    for (const sign of swapped)
      await expect(sign()).rejects.toThrow(/takes the secret first.*signAttempt\(secret, event\)/)
  })
})

it.each([
  [JSON.stringify({ integration: 'acme', event: EVENT }), /is a text.*JSON\.parse/],
  [bytes, /is bytes.*JSON\.parse/],
  [{ id: 1, data: { integration: 'acme', event: EVENT } }, /Pass its content: job\.data/],
  [{ messageId: '1', body: '{}' }, /JSON\.parse\(message\.body\)/],
  [Promise.resolve({}), /is a promise/],
])('queuedEvent says what to pass instead of %j', (job, problem) => {
  expect(() => queuedEvent(job)).toThrow(problem)
})

describe('a receiver refuses', () => {
  const create = (options: object) => () => createReceiver({ secret: TEST_SECRET, on: {}, ...options })

  it.each([
    ['a list', []],
    ['a map', new Map([['note.ended', () => undefined]])],
    ['a promise', Promise.resolve({})],
  ])('%s as on, which has no handlers', (_, on) => {
    expect(create({ on })).toThrow(/on must be an object, such as/)
  })

  it.each(['/webhooks/:integration', '/webhooks/*', '/[[...path]]', '/webhooks/{integration}'])(
    'the pattern of a path, which no request equals: %s',
    (path) => expect(create({ path })).toThrow(/path.*without parameters and wildcards/),
  )

  it.each<[string, unknown, RegExp]>([
    ['logger', null, /logger has no method.*info, warn, error/],
    ['store', memoryStore, /store has no method.*is a function: call it/],
    ['store', Promise.resolve(memoryStore()), /store has no method.*is a promise: await it/],
    ['store', 'events.db', /store has no method.*Pass an object/],
  ])('what is no %s: %s', (option, value, problem) => expect(create({ [option]: value })).toThrow(problem))

  it('an event instead of its id in forget', async () => {
    const { receiver } = recordingReceiver()
    await expect(receiver.forget(EVENT as unknown as string)).rejects.toThrow(
      /eventId is not a string.*event\.event_id/,
    )
  })
})

it.each([
  ['a promise', Promise.resolve(EVENT)],
  ['a list', [EVENT]],
  ['bytes', bytes],
  ['nothing', undefined],
])('storable and signAttempt refuse %s', async (_, given) => {
  expect(() => storable(given as never)).toThrow(/storable needs an event/)
  await expect(signAttempt(TEST_SECRET, given as never)).rejects.toThrow(
    /signAttempt needs an event, or the text of a body/,
  )
})

it('a receiver refuses the whole of noteHandlers as on', () => {
  const handlers = { revisionGate: 'per-kind', prepare: () => undefined, on: {} }
  expect(() => createReceiver({ secret: TEST_SECRET, on: handlers as object })).toThrow(/Spread it.*\.\.\.noteHandlers/)
})

function splitInCharacter(whole: Uint8Array): string {
  const at = whole.indexOf(0xc3) + 1
  return new TextDecoder().decode(whole.subarray(0, at)) + new TextDecoder().decode(whole.subarray(at))
}
