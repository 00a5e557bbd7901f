import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { TEST_SECRET } from '../../../fixtures/commands/doctor/secrets.ts'
import { startReceiver } from '../../../fixtures/commands/doctor/start-receiver.ts'
import { curlOf } from './curl.ts'
import { type DeliveryTraits, makeDelivery, secretOf } from './delivery.ts'
import { send } from './send.ts'

const run = promisify(execFile)

const DELIVERIES: readonly [string, Omit<DeliveryTraits, 'url' | 'signer'>][] = [
  ['a plain body', { body: '{"a":1}' }],
  ['quotes, dollars and backslashes', { body: '{"a":"it\'s $HOME `id` \\\\ \\u0041 %s"}' }],
  ['line breaks and characters outside ASCII', { body: '\r\n {"é":"\u{1F4DD}\u2028"}\r\n' }],
  ['an empty body', { body: '' }],
  ['bytes that are not text', { body: Buffer.from([0x7b, 0xff, 0x00, 0x25, 0x5c, 0x27, 0x0a, 0x31]) }],
  ['a large body', { body: '{"a":"\\\\ 100%"}'.padEnd(300_000) }],
  ['an empty header', { body: '{}', webhookId: '' }],
  ['headers that are missing', { body: '{}', headers: { 'content-type': undefined, 'webhook-id': undefined } }],
  ['a signature outside ASCII', { body: '{}', signature: () => 'v1,\u00c3\u00a9 \'"$' }],
  ['names in capitals', { body: '{}', rename: (name) => name.toUpperCase() }],
  ['GET', { body: '', method: 'GET' }],
]

describe('curlOf', () => {
  it.each(DELIVERIES)('makes a command that sends the same request again: %s', async (_title, traits) => {
    const seen: unknown[] = []
    await using receiver = await startReceiver(async (request, response) => {
      const { method, url, rawHeaders } = request
      const body = Buffer.concat(await request.toArray()).toString('base64')
      seen.push({ method, url, headers: comparableHeaders(rawHeaders), body })
      response.end()
    })
    const delivery = makeDelivery({
      ...traits,
      url: new URL(`${receiver.url}?a=1&b='2'`),
      signer: secretOf(TEST_SECRET).signer,
    })
    await send(delivery, 10_000, new AbortController().signal)
    await run('sh', ['-c', curlOf(delivery)])
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0])
  })
})

/** The headers, without those about the sender and the connection. */
function comparableHeaders(rawHeaders: readonly string[]): readonly string[] {
  const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  return pairs.filter((pair) => !/^(?:host|connection|accept|expect|content-length):/i.test(pair)).toSorted()
}
