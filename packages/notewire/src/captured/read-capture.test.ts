import { NotewireError } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CaptureError } from './capture-error.ts'
import type { CaptureFormat } from './captured-request.ts'
import { valuesOf } from './captured-request.ts'
import { aDelivery, examined } from './fixtures/a-delivery.ts'
import { notificationsIn } from './notifications.ts'
import { readCapture } from './read-capture.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('utf8')
const noFile = (path: string): Uint8Array => {
  throw new Error(`no file ${path} in this test`)
}

function read(capture: string | Uint8Array, format?: CaptureFormat, files: Readonly<Record<string, string>> = {}) {
  const readFile = (path: string) => (path in files ? bytesOf(files[path] ?? '') : noFile(path))
  return readCapture(typeof capture === 'string' ? bytesOf(capture) : capture, { format, readFile })
}

const delivery = await aDelivery({ body: '{"event_id":"evt_1","title":"it\'s café\\n"}' })
const body = textOf(delivery.body)
const headerLines = delivery.headers.map(({ name, value }) => `${name}: ${value}`)

describe('a raw request', () => {
  const raw = (end: string, requestLine = 'POST /webhooks/notes HTTP/1.1') =>
    [...(requestLine === '' ? [] : [requestLine]), 'Host: example.test', ...headerLines, '', ''].join(end) + body

  it.each([
    ['CR LF', raw('\r\n')],
    ['LF', raw('\n')],
    ['no request line', raw('\n', '')],
    ['blank lines before it', `\r\n\n${raw('\r\n')}`],
    ['no version', raw('\n', 'POST /webhooks/notes')],
  ])('is read with %s, and verifies', async (_, capture) => {
    const [request] = read(capture)
    expect(request).toMatchObject({ format: 'raw', body: delivery.body })
    expect(await examined(request ?? delivery)).toMatchObject({ verdict: 'valid' })
  })

  it('keeps every byte of its body', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const head = bytesOf('POST / HTTP/1.1\r\nwebhook-id: msg_1\r\n\r\n')
        expect(read(Buffer.concat([head, bytes]))[0]?.body).toEqual(bytes)
      }),
    )
  })

  it('joins chunks, and says so', () => {
    const [request] = read('POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n')
    expect(textOf(request?.body)).toBe('hello world')
    expect(request?.notices).toEqual(['the body was captured in chunks, which were joined'])
  })

  it('leaves a body alone that only claims to be in chunks', () => {
    expect(textOf(read('POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n{"a":1}')[0]?.body)).toBe('{"a":1}')
  })

  it('has no body without an empty line, and says so', () => {
    const [request] = read('POST / HTTP/1.1\nwebhook-id: msg_1\n')
    expect(request?.body).toHaveLength(0)
    expect(request?.notices[0]).toMatch(/no empty line/)
  })

  it('joins a header that goes on in the next line', () => {
    expect(valuesOf(read('POST / HTTP/1.1\nwebhook-id: msg\n\t1\n\n')[0]?.headers ?? [], 'webhook-id')).toEqual([
      'msg 1',
    ])
  })
})

describe('a curl command', () => {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const headers = headerLines.map((line) => `--header ${quoted(line)}`)

  it.each([
    [
      'as the console of the mock service shows it',
      ['curl --request POST', quoted('http://127.0.0.1:3000/hooks'), ...headers, `--data-raw ${quoted(body)}`].join(
        ' \\\n  ',
      ),
    ],
    [
      'as Chrome copies it',
      `curl 'https://x.test/hook' ${headers.map((each) => each.replace('--header', '-H')).join(' \\\n  ')} --data-raw $'${body.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}' --compressed --insecure`,
    ],
    [
      'as Firefox copies it',
      `curl 'https://x.test/hook' -X POST ${headers.join(' ')} --data-binary $'${[...bytesOf(body)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`,
    ],
    [
      'with a prompt, short options in one word and the URL last',
      `$ curl -sSXPOST ${headers.map((each) => each.replace('--header ', '-H')).join(' ')} -d${quoted(body)} -o /dev/null x.test`,
    ],
    ['with the body in a file', `curl x.test ${headers.join(' ')} --data-binary @body.json`],
  ])('is read %s, and verifies', async (_, command) => {
    const [request] = read(command, undefined, { 'body.json': body })
    expect(request).toMatchObject({ format: 'curl', method: 'POST' })
    expect(textOf(request?.body)).toBe(body)
    expect(await examined(request ?? delivery)).toMatchObject({ verdict: 'valid' })
  })

  it('reads files as curl does: without line breaks for -d, byte for byte for --data-binary', () => {
    const files = { f: '{\n"a": 1\r\n}\n' }
    expect(textOf(read('curl x -d @f', undefined, files)[0]?.body)).toBe('{"a": 1}')
    expect(textOf(read('curl x --data-binary @f', undefined, files)[0]?.body)).toBe(files.f)
    expect(textOf(read('curl x --data-raw @f', undefined, files)[0]?.body)).toBe('@f')
    expect(textOf(read('curl x -d a -d b --data-urlencode "c=d e"')[0]?.body)).toBe('a&b&c=d%20e')
  })

  it('reads headers from a file, empty ones, cookies and the like', () => {
    const [request] = read("curl x -H @h -H 'x-empty;' -H 'accept:' -b 'a=b' -A me --json '{}'", undefined, {
      h: 'a: 1\nb: 2\n',
    })
    expect(request?.headers).toEqual([
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
      { name: 'x-empty', value: '' },
      { name: 'cookie', value: 'a=b' },
      { name: 'user-agent', value: 'me' },
      { name: 'content-type', value: 'application/json' },
    ])
    expect(request?.method).toBe('POST')
  })

  it('ends where another command or request begins', () => {
    expect(textOf(read('curl x -d one --next y -d two')[0]?.body)).toBe('one')
    expect(textOf(read('FOO=bar /usr/bin/curl x -d one | jq -d two')[0]?.body)).toBe('one')
  })

  it('names the variables whose values it cannot know', () => {
    expect(read('curl $HOST -d a')[0]?.notices).toEqual([
      'the command uses the shell variable $HOST, whose value is taken as empty',
    ])
  })

  it.each([
    ['a form', "curl x -F 'a=b'", /form/],
    ['a body on stdin', 'curl x -d @-', /standard input/],
    ['a command for Windows', 'curl ^"http://x^" ^\n', /bash/],
    ['an open quote', "curl x -d '{", /not closed/],
  ])('is refused with words for %s', (_, command, words) => {
    expect(() => read(command)).toThrow(words)
  })
})

describe('an HTTP archive', () => {
  const request = (postData: object, method = 'POST') => ({
    method,
    url: 'https://x.test',
    headers: delivery.headers,
    postData,
  })
  const har = (...requests: readonly object[]) =>
    JSON.stringify({
      log: {
        version: '1.2',
        entries: requests.map((each) => ({ startedDateTime: '2026-01-01T09:00:00Z', request: each })),
      },
    })

  it.each([
    ['text', { mimeType: 'application/json', text: body }],
    ['base64', { mimeType: 'application/json', text: Buffer.from(body).toString('base64'), encoding: 'base64' }],
  ])('is read with bodies in %s, and verifies', async (_, postData) => {
    const [read1] = read(har(request(postData)))
    expect(await examined(read1 ?? delivery)).toMatchObject({ verdict: 'valid', request: { format: 'har', entry: 1 } })
    expect(read1?.capturedAt).toBe(Date.parse('2026-01-01T09:00:00Z'))
  })

  it('gives every notification in it, or the one that was chosen', () => {
    const other = { method: 'POST', url: 'https://x.test', headers: [{ name: 'Accept', value: '*/*' }] }
    const requests = read(har(other, request({ text: body }), request({ text: body }, 'GET'), request({ text: body })))
    expect(notificationsIn(requests, undefined).map(({ entry }) => entry)).toEqual([2, 4])
    expect(notificationsIn(requests, 3).map(({ entry }) => entry)).toEqual([3])
    expect(() => notificationsIn(requests, 5)).toThrow(/4 requests/)
    expect(() => notificationsIn(requests.slice(0, 1).concat(requests.slice(0, 1)), undefined)).toThrow(/--entry/)
  })

  it.each([
    ['no archive', '{"event_id":"evt_1"}', /no HTTP archive/],
    ['cut off', '{"log":{"entries":[', /not JSON/],
    ['empty', '{"log":{"entries":[]}}', /without any request/],
  ])('is refused with words when it is %s', (_, text, words) => {
    expect(() => read(text)).toThrow(words)
  })
})

describe('whatever is given', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map(bytesOf),
    fc.json().map(bytesOf),
    fc
      .array(
        fc.constantFrom(
          'curl',
          ' ',
          '-H',
          '-d',
          '--data-urlencode',
          '@',
          "$'",
          "'",
          '"',
          '\\',
          '\\x',
          '${',
          '$',
          '\n',
          '{',
          '}',
          'log',
          '"entries":',
          '[',
          ':',
          'POST / HTTP/1.1',
          '\r\n',
          '#',
          ';',
          '*',
          '-T',
          '--json',
          '^',
          'a=b',
          '\u{1f600}',
        ),
        { maxLength: 25 },
      )
      .map((parts) => bytesOf(parts.join(''))),
    fc.anything().map((value) => bytesOf(JSON.stringify({ log: { entries: [{ request: value }, value] } }) ?? '')),
  )

  it.each([undefined, 'curl', 'har', 'raw'] as const)('is a request or a typed error, read as %s', (format) => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        try {
          for (const request of readCapture(bytes, { format, readFile: () => new Uint8Array() })) {
            expect(request.body).toBeInstanceOf(Uint8Array)
          }
        } catch (error) {
          expect(error).toBeInstanceOf(CaptureError)
          expect(error).toBeInstanceOf(NotewireError)
        }
      }),
      { numRuns: 400 },
    )
  })

  it.each(['', ' \n\t '])('is refused as empty when it is %j', (nothing) => {
    expect(() => read(nothing)).toThrow(/is empty/)
  })
})
