import { Readable } from 'node:stream'
import { OptionError } from '@notewire/protocol'
import * as crossFetch from 'cross-fetch'
import * as nodeFetch from 'node-fetch'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

const URL = 'https://receiver.test/hooks'

interface Sent {
  readonly headers: Record<string, string>
  readonly body: string
}

const streamOf = (...chunks: unknown[]) => Readable.from(chunks)
const webStreamOf = (...chunks: unknown[]) => Readable.toWeb(streamOf(...chunks))
/** A Request as an older polyfill makes it. */
const polyfilled = ({ headers }: Sent, rest: object) => ({
  url: URL,
  method: 'POST',
  headers: new Headers(headers),
  ...rest,
})
/** A Request of a host that gives it a property of its own. */
const hosted = (sent: Sent, name: 'body' | 'bodyUsed') =>
  Object.defineProperty(new Request(URL, { method: 'POST', ...sent }), name, {
    get: () => {
      throw new Error(`${name} is not supported`)
    },
  })
const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('a Request of another implementation', () => {
  it.each<[string, (sent: Sent) => unknown]>([
    ['node-fetch 3, from a text', (sent) => new nodeFetch.Request(URL, { method: 'POST', ...sent })],
    [
      'node-fetch 3, from a Buffer',
      ({ headers, body }) => new nodeFetch.Request(URL, { method: 'POST', headers, body: Buffer.from(body) }),
    ],
    [
      'node-fetch 3, from a stream',
      ({ headers, body }) =>
        new nodeFetch.Request(URL, {
          method: 'POST',
          headers,
          body: streamOf(...Buffer.from(body)).map((byte) => Buffer.from([byte])),
        }),
    ],
    ['cross-fetch (node-fetch 2), from a text', (sent) => new crossFetch.Request(URL, { method: 'POST', ...sent })],
    [
      'cross-fetch (node-fetch 2), from a stream',
      ({ headers, body }) =>
        new crossFetch.Request(URL, {
          method: 'POST',
          headers,
          body: streamOf(Buffer.from(body)) as unknown as BodyInit,
        }),
    ],
    ['a polyfill without streams', (sent) => polyfilled(sent, { arrayBuffer: async () => bytesOf(sent.body).buffer })],
    [
      'a polyfill with a stream and nothing else',
      (sent) => polyfilled(sent, { body: webStreamOf(bytesOf(sent.body)) }),
    ],
    ['a polyfill whose stream has text', (sent) => polyfilled(sent, { body: webStreamOf(sent.body) })],
    ['a host whose body throws', (sent) => hosted(sent, 'body')],
    ['a host whose bodyUsed throws', (sent) => hosted(sent, 'bodyUsed')],
  ])('is read: %s', async (_name, make) => {
    const { applied, logger, receiver } = recordingReceiver()
    const sent = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended', noteId: 'nöte' }))
    expect((await receiver.fetch(make(sent) as Request)).status).toBe(204)
    expect(applied).toHaveLength(1)
    expect((await receiver.fetch(make({ ...sent, body: `${sent.body} ` }) as Request)).status).toBe(401)
    expect(logger.lines).toHaveLength(1)
  })

  it.each<[string, (sent: Sent) => unknown]>([
    ['of node-fetch', (sent) => new nodeFetch.Request(URL, { method: 'POST', ...sent })],
    ['of cross-fetch', (sent) => new crossFetch.Request(URL, { method: 'POST', ...sent })],
    ['without streams', (sent) => polyfilled(sent, { arrayBuffer: async () => bytesOf(sent.body).buffer })],
  ])('is refused above the limit: %s', async (_name, make) => {
    const { receiver } = recordingReceiver({ maxBodyBytes: 100 })
    const sent = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await receiver.fetch(make(sent) as Request)).status).toBe(413)
  })

  it('of node-fetch that stalls is answered 408', async () => {
    const clock = new ManualClock()
    const { receiver } = recordingReceiver({ clock })
    const { headers } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }), { signedAt: clock.now() })
    const body = new Readable({ read: () => undefined })
    const answered = receiver.fetch(new nodeFetch.Request(URL, { method: 'POST', headers, body }) as unknown as Request)
    await clock.advance(8_000)
    expect((await answered).status).toBe(408)
  })

  it('whose stream was read before cannot be verified: 500, and a log line with the fix', async () => {
    const { applied, logger, receiver } = recordingReceiver()
    const sent = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    for (const request of [
      new nodeFetch.Request(URL, { method: 'POST', ...sent }),
      new crossFetch.Request(URL, { method: 'POST', ...sent }),
    ]) {
      await request.text()
      expect((await receiver.fetch(request as unknown as Request)).status).toBe(500)
    }
    expect(logger.lines.join()).toContain('the request body was parsed before')
    expect(applied).toEqual([])
  })

  it('whose body cannot be read is refused before a handler runs', async () => {
    const { applied, receiver } = recordingReceiver()
    const sent = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    for (const rest of [{}, { body: sent.body }, { body: JSON.parse(sent.body) }]) {
      await expect(receiver.fetch(polyfilled(sent, rest) as Request)).rejects.toThrow(OptionError)
    }
    expect(applied).toEqual([])
  })
})
