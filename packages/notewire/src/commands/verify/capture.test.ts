import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../errors/failure.ts'
import { readCapture, saveCapture } from './capture.ts'
import { judgeDelivery } from './verdict.ts'

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
const read = (capture: object) => readCapture(bytesOf(JSON.stringify(capture)))
const textOf = ({ body }: { readonly body: Uint8Array }) => Buffer.from(body).toString()

describe('a capture', () => {
  const headers = { 'Webhook-Id': 'msg_1' }

  it.each([
    ['body', { body: '{"a":"é"}' }],
    ['body_base64', { body_base64: Buffer.from('{"a":"é"}').toString('base64') }],
    ['isBase64Encoded', { body: Buffer.from('{"a":"é"}').toString('base64'), isBase64Encoded: true }],
  ])('is read with %s', (_form, body) => {
    const capture = read({ headers, method: 'POST', received_at: '2026-01-01T09:00:00Z', ...body })
    expect(capture).toMatchObject({ method: 'POST', headers: { 'webhook-id': ['msg_1'] } })
    expect(capture.receivedAt).toBe(Date.parse('2026-01-01T09:00:00Z'))
    expect(textOf(capture)).toBe('{"a":"é"}')
  })

  it.each([
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('is read in %s', (_encoding, bytes) => {
    expect(textOf(readCapture(bytes(JSON.stringify({ headers, body: '{"a":"é€"}' }))))).toBe('{"a":"é€"}')
  })

  it('in UTF-16 without a byte order mark is refused with what to do', () => {
    const bytes = Buffer.from(JSON.stringify({ headers, body: '' }), 'utf16le')
    expect(() => readCapture(bytes)).toThrow(/is not text in UTF-8. Save it as UTF-8/)
  })

  it('keeps two headers of the same name', () => {
    expect(read({ headers: { via: ['a', 'b'], Via: 'c' }, body: '' }).headers).toEqual({ via: ['a', 'b', 'c'] })
  })

  it('that notewire listen saves is read with the same headers, body and time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'notewire-captures-'))
    const value = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)) })
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
    await fc.assert(
      fc.asyncProperty(value, fc.uint8Array(), time, async (id, body, at) => {
        const received = { 'webhook-id': id, via: ['a', 'b'], absent: undefined }
        const request = { method: 'POST', path: '/hook', headers: received, body }
        const name = await saveCapture(folder, request, at.getTime())
        expect(readCapture(await readFile(join(folder, name)))).toEqual({
          method: 'POST',
          headers: { 'webhook-id': [id], via: ['a', 'b'] },
          body,
          receivedAt: at.getTime(),
        })
      }),
    )
  })
})

describe('any bytes', () => {
  const header = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type', 'via')
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map(bytesOf),
    fc.anything().map((value) => bytesOf(JSON.stringify({ headers: value, body: value }) ?? '')),
    fc
      .record({ headers: fc.dictionary(header, fc.string({ unit: 'binary' })), body: fc.string({ unit: 'binary' }) })
      .map((capture) => bytesOf(JSON.stringify(capture))),
    // With the three headers, so that the body is examined.
    fc.record({ id: fc.string(), body: fc.uint8Array({ maxLength: 300 }) }).map(({ id, body }) =>
      bytesOf(
        JSON.stringify({
          headers: {
            'webhook-id': id,
            'webhook-timestamp': '1767258000',
            'webhook-signature': `v1,${'A'.repeat(43)}=`,
          },
          body_base64: Buffer.from(body).toString('base64'),
        }),
      ),
    ),
  )

  it('are read as a delivery with a verdict, or rejected with a CommandError', async () => {
    const secrets = [{ name: 'test', text: 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q' }]
    await fc.assert(
      fc.asyncProperty(hostile, async (bytes) => {
        try {
          const { verdict } = await judgeDelivery(readCapture(bytes), secrets, 'ignore-time')
          expect(verdict).toBe('invalid')
        } catch (error) {
          if (!(error instanceof CommandError)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['', /is empty/],
    [' \n\t ', /is empty/],
    ['POST / HTTP/1.1', /is not JSON/],
    ['{"event_id":"evt_1"}', /does not contain headers and a body/],
    ['{"headers":{}}', /does not contain headers and a body/],
    ['{"log":{"entries":[]}}', /does not contain headers and a body/],
    ['{"headers":{},"body":{"event_id":"evt_1"}}', /has a parsed body/],
    ['{"headers":{},"body_base64":"!!!"}', /is not base64/],
  ])('are rejected with the reason when they are %j', (text, words) => {
    expect(() => readCapture(bytesOf(text))).toThrow(words)
  })
})
