import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../errors/failure.ts'
import { readRawRequest, writeRawRequest } from './raw-request.ts'
import { chooseDeliveries, readCapture } from './read-capture.ts'
import { judgeRequest } from './verdict.ts'

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
const read = (text: string) => readCapture(bytesOf(text))

describe('a raw HTTP request', () => {
  const lines = ['POST /webhooks/notes HTTP/1.1', 'Host: example.test', 'webhook-id: msg_1', '', '{"a":"é"}']

  it.each([
    ['CR LF', lines.join('\r\n')],
    ['LF', lines.join('\n')],
    ['no request line', lines.slice(1).join('\n')],
    ['empty lines before it', `\r\n\n${lines.join('\r\n')}`],
    ['a byte order mark', `\ufeff${lines.join('\n')}`],
    ['no version', lines.join('\n').replace(' HTTP/1.1', '')],
  ])('is read with %s', (_form, text) => {
    const [request] = read(text)
    expect(request).toMatchObject({ format: 'raw', headers: { host: ['example.test'], 'webhook-id': ['msg_1'] } })
    expect(textOf(request?.body)).toBe('{"a":"é"}')
  })

  it('keeps every byte of the body', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        const head = bytesOf('POST / HTTP/1.1\r\nwebhook-id: msg_1\r\n\r\n')
        expect(readCapture(Buffer.concat([head, body]))[0]?.body).toEqual(body)
      }),
    )
  })

  it('that notewire listen writes is read with the same headers, body and time', () => {
    const header = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(header, fc.uint8Array(), fc.date({ noInvalidDate: true, min: new Date(0) }), (value, body, time) => {
        const headers = { 'webhook-id': value.trim(), via: ['a', 'b'], absent: undefined }
        const written = writeRawRequest({ method: 'POST', path: '/hook', headers, body }, time.getTime())
        expect(readRawRequest(written)).toMatchObject({
          headers: { 'webhook-id': [value.trim()], via: ['a', 'b'] },
          body,
          capturedAt: time.getTime(),
        })
      }),
    )
  })

  it('joins the chunks of a chunked body', () => {
    const [request] = read('POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n')
    expect(textOf(request?.body)).toBe('hello world')
  })

  it('keeps a body without chunks, even with Transfer-Encoding: chunked', () => {
    expect(textOf(read('POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n{"a":1}')[0]?.body)).toBe('{"a":1}')
  })

  it('joins a header that continues on the next line, and keeps two of the same name', () => {
    const [request] = read('POST / HTTP/1.1\nwebhook-id: msg\n\t1\nVia: a\nvia: b\n\n')
    expect(request?.headers).toEqual({ 'webhook-id': ['msg 1'], via: ['a', 'b'] })
  })
})

describe('an HTTP archive', () => {
  const headers = [
    { name: ':method', value: 'POST' },
    { name: 'Webhook-Id', value: 'msg_1' },
  ]
  const har = (...requests: readonly object[]) =>
    JSON.stringify({
      log: { entries: requests.map((request) => ({ startedDateTime: '2026-01-01T09:00:00Z', request })) },
    })

  it.each([
    ['text', { text: '{"a":"é"}' }],
    ['base64', { text: Buffer.from('{"a":"é"}').toString('base64'), encoding: 'base64' }],
  ])('is read with bodies in %s', (_form, postData) => {
    const [request] = read(har({ method: 'POST', headers, postData }))
    expect(request).toMatchObject({ format: 'har', entry: 1, method: 'POST', headers: { 'webhook-id': ['msg_1'] } })
    expect(request?.capturedAt).toBe(Date.parse('2026-01-01T09:00:00Z'))
    expect(textOf(request?.body)).toBe('{"a":"é"}')
  })

  it('contains several deliveries, of which one can be chosen', () => {
    const requests = read(har({ method: 'POST' }, { method: 'POST', headers }, { method: 'GET', headers }, { headers }))
    expect(chooseDeliveries(requests, undefined).map(({ entry }) => entry)).toEqual([2, 4])
    expect(chooseDeliveries(requests, 3).map(({ entry }) => entry)).toEqual([3])
    expect(() => chooseDeliveries(requests, 5)).toThrow(/4 requests/)
    expect(() => chooseDeliveries(requests.slice(0, 1).concat(requests.slice(2, 3)), undefined)).toThrow(/--entry/)
  })

  it.each([
    ['is JSON without entries', '{"event_id":"evt_1"}', /not an HTTP archive/],
    ['is cut off', '{"log":{"entries":[', /not JSON/],
    ['has no request', '{"log":{"entries":[]}}', /without any request/],
  ])('is rejected with the reason when it %s', (_fault, text, words) => {
    expect(() => read(text)).toThrow(words)
  })
})

describe('any bytes', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map(bytesOf),
    fc.json().map(bytesOf),
    fc
      .array(
        fc.constantFrom(
          'POST / HTTP/1.1',
          '\r\n',
          '\n',
          '\r',
          ':',
          ' ',
          'a: b',
          '\ufeff',
          '{"log":{',
          '[',
          '0\r\n',
          'webhook-id',
        ),
        {
          maxLength: 25,
        },
      )
      .map((parts) => bytesOf(parts.join(''))),
    fc.anything().map((value) => bytesOf(JSON.stringify({ log: { entries: [{ request: value }, value] } }) ?? '')),
    // A raw request with the three headers, so that its body is examined.
    fc
      .tuple(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 300 }))
      .map(([id, body]) =>
        Buffer.concat([
          Buffer.from(`webhook-id: ${id}\nwebhook-timestamp: 1767258000\nwebhook-signature: v1,${'A'.repeat(43)}=\n\n`),
          body,
        ]),
      ),
  )

  it('are read as requests with a verdict, or rejected with a CommandError', async () => {
    const secrets = [{ name: 'test', text: 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q' }]
    await fc.assert(
      fc.asyncProperty(hostile, async (bytes) => {
        try {
          for (const request of readCapture(bytes)) {
            const { verdict } = await judgeRequest(request, secrets, 'ignore-time')
            expect(verdict).toBe('invalid')
          }
        } catch (error) {
          if (!(error instanceof CommandError)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each(['', ' \n\t '])('are rejected as empty when they are %j', (nothing) => {
    expect(() => read(nothing)).toThrow(/is empty/)
  })
})
