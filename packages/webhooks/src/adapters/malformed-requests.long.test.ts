import { Agent, request as httpRequest, type RequestListener } from 'node:http'
import express from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heldMemory } from '../../fixtures/held-memory.ts'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import { createReceiver } from '../receiver/receiver.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { nodeHandler } from './node.ts'

const REQUESTS = 10_000
const AT_ONCE = 32

interface Malformed {
  readonly method?: string
  readonly path?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly expected: readonly number[]
}

const aText = fc.string({ unit: 'binary', maxLength: 300 })
const aHeaderText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,60}[\x21-\x7e])?$/)
const aSignatureHeader = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
const anyJson = fc.json({ maxDepth: 4 })

/** Every kind of malformed request that we know, with the correct answers. */
const aMalformedRequest: fc.Arbitrary<() => Promise<Malformed>> = fc.oneof(
  fc
    .tuple(fc.constantFrom('GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'), aText)
    .map(([method, text]) => async () => ({
      ...(await signed(text)),
      method,
      expected: [404],
    })),
  fc.webPath().map((path) => async () => ({ ...(await signed('{}')), path: `/elsewhere${path}`, expected: [404] })),
  fc.constantFrom('gzip', 'br', 'deflate', 'gzip, br', 'x', 'zstd').map((encoding) => async () => {
    const attempt = await signed('{}')
    return { ...attempt, headers: { ...attempt.headers, 'content-encoding': encoding }, expected: [415] }
  }),
  fc.integer({ min: 1, max: 2_000 }).map((excess) => async () => ({
    ...(await signed('x'.repeat(10_000 + excess))),
    expected: [413],
  })),
  fc.tuple(aSignatureHeader, fc.option(aHeaderText, { nil: undefined })).map(([name, value]) => async () => {
    const { headers, body } = await signed(JSON.stringify(anEvent({ kind: 'note.ended' })))
    const rest = Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name))
    return { headers: value === undefined ? rest : { ...rest, [name]: value }, body, expected: [401] }
  }),
  fc.integer({ min: 301, max: 10_000_000 }).map((ageSeconds) => async () => ({
    ...(await signAttempt(TEST_SECRET, '{}', { signedAt: Date.now() - (ageSeconds + 1) * 1000 })),
    expected: [401],
  })),
  aText.map((text) => async () => ({ ...(await signAttempt(OTHER_TEST_SECRET, text)), expected: [401] })),
  fc.tuple(aText, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([text, junk]) => async () => ({
    headers: (await signed(text)).headers,
    body: Buffer.concat([Buffer.from(text), junk]),
    expected: [401],
  })),
  aText.map((text) => async () => ({ headers: {}, body: text, expected: [401] })),
  fc.oneof(aText, anyJson).map((text) => async () => ({ ...(await signed(text)), expected: [400] })),
  fc.tuple(fc.constantFrom('note_id', 'revision'), fc.anything()).map(([field, value]) => async () => {
    const event = anEvent({ kind: 'note.ended' })
    const wrong = typeof value === 'string' || typeof value === 'number' ? {} : value
    const text = JSON.stringify({ ...event, data: { ...event.data, [field]: wrong } }, (_key, each) =>
      typeof each === 'bigint' ? String(each) : each,
    )
    return { ...(await signed(text)), expected: [400] }
  }),
)

const adapters: readonly [string, (receiver: Receiver) => RequestListener][] = [
  ['the node handler', nodeHandler],
  ['the Express handler', (receiver) => express().use(expressHandler(receiver))],
]

describe.each(adapters)('ten thousand malformed requests to %s', (_name, mount) => {
  it('get the right 4xx, and leak no memory (§4, §5, §7)', async () => {
    const applied: string[] = []
    const receiver = createReceiver({
      secret: TEST_SECRET,
      path: '/webhooks/notes',
      maxBodyBytes: 10_000,
      on: { 'note.ended': ({ event_id }) => void applied.push(event_id) },
      logger: { ...recordingLogger(), warn: () => undefined, error: () => undefined },
    })
    await using server = await startServer(mount(receiver))
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const send = (malformed: Malformed) => statusOf(agent, server.port, malformed)

    const { seed = 0 } = fc.readConfigureGlobal()
    const wrong: string[] = []
    let before = 0
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      // By now, everything that is allocated once has been allocated.
      if (sent === AT_ONCE * 100) before = await heldMemory()
      await Promise.all(
        fc.sample(aMalformedRequest, { numRuns: AT_ONCE, seed: seed + sent }).map(async (build) => {
          const malformed = await build()
          const status = await send(malformed)
          if (!malformed.expected.includes(status)) wrong.push(`${status}: ${JSON.stringify(malformed)}`)
        }),
      )
    }

    expect(wrong, `with FAST_CHECK_SEED=${seed}`).toEqual([])
    expect(applied).toEqual([])
    expect((await heldMemory()) - before).toBeLessThan(3_000_000)
    const event = anEvent({ kind: 'note.ended' })
    expect(await send({ ...(await signed(JSON.stringify(event))), expected: [204] })).toBe(204)
    expect(applied).toEqual([event.event_id])
    agent.destroy()
  })
})

function signed(text: string) {
  return signAttempt(TEST_SECRET, text)
}

function statusOf(agent: Agent, port: number, { method = 'POST', path, headers, body }: Malformed): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', method, path: path ?? '/webhooks/notes', timeout: 60_000 }
    const bytes = Buffer.from(body)
    const request = httpRequest({ ...options, headers: { ...headers, 'content-length': bytes.length } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('timeout', () => request.destroy(new Error('no answer within a minute')))
    request.on('error', reject)
    request.end(bytes)
  })
}
