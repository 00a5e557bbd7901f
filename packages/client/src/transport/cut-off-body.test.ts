import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { serveRaw } from '../../fixtures/raw-server.ts'
import { API_KEY, CONTENT, shownBy } from '../../fixtures/secrets.ts'
import { nodeFetch } from '../node-fetch.ts'
import { NotesClient } from '../notes-client.ts'

const NOTE = {
  note_id: 'n1',
  revision: 1,
  title: CONTENT,
  more: [{ numbers: Array.from({ length: 40 }, (_, index) => Math.sqrt(index)) }],
}
const JSON_BYTES = Buffer.from(JSON.stringify(NOTE))
const ENCODINGS: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(JSON_BYTES),
  deflate: deflateSync(JSON_BYTES),
  br: brotliCompressSync(JSON_BYTES),
}
const FETCHES = { 'the global fetch': undefined, nodeFetch }

/** How a message is framed: each ends as if its part of the body were the whole. */
const FRAMES: Readonly<Record<string, (encoding: string, body: Buffer) => Buffer>> = {
  'content-length': (encoding, body) =>
    message([`content-encoding: ${encoding}`, `content-length: ${body.length}`], body),
  chunks: (encoding, body) => {
    const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
    const chunks = Buffer.concat([...chunk, Buffer.from('0\r\n\r\n')])
    return message([`content-encoding: ${encoding}`, 'transfer-encoding: chunked'], chunks)
  },
  'the end of the connection': (encoding, body) =>
    message([`content-encoding: ${encoding}`, 'connection: close'], body),
}

// The shortest delays.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

describe.each(Object.entries(FETCHES))('a compressed body that ends early, with %s', (_, fetch) => {
  it.each(Object.keys(FRAMES))('is requested again, wherever it ends: %s', async (frame) => {
    const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(ENCODINGS)), position, async (encoding, part) => {
        const whole = ENCODINGS[encoding] ?? Buffer.alloc(0)
        const cut = whole.subarray(0, Math.floor(whole.length * part))
        await using server = await serveRaw((socket, count) =>
          socket.end(framed(frame, encoding, count === 1 ? cut : whole)),
        )
        const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch })
        expect(await client.notes.get('n1')).toEqual(NOTE)
      }),
      { numRuns: 15 },
    )
  })

  it.each(Object.keys(FRAMES))('is a network error in the end: %s', async (frame) => {
    for (const [encoding, whole] of Object.entries(ENCODINGS)) {
      const cut = whole.subarray(0, whole.length / 2)
      await using server = await serveRaw((socket) => socket.end(framed(frame, encoding, cut)))
      const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch })
      const error = await errorOf(client.notes.get('n1'))
      expect(error).toMatchObject({ code: 'network_error', attempts: [{}, {}, {}] })
      expect(String(error)).toContain('The response ended early.')
      expect(shownBy(error)).not.toContain(CONTENT)
    }
  })

  it.each(Object.keys(ENCODINGS))('because the connection breaks is requested again: %s', async (encoding) => {
    const whole = ENCODINGS[encoding] ?? Buffer.alloc(0)
    const headers = [`content-encoding: ${encoding}`, `content-length: ${whole.length}`]
    await using server = await serveRaw((socket, count) => {
      if (count === 1) socket.end(message(headers, whole.subarray(0, whole.length / 2)))
      else socket.end(message(headers, whole))
    })
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch })
    expect(await client.notes.get('n1')).toEqual(NOTE)
  })

  it('is not requested again after a POST that creates, and the error says what to do', async () => {
    let requests = 0
    await using server = await serveRaw((socket) => {
      requests += 1
      socket.end(framed('content-length', 'gzip', gzipSync(JSON_BYTES).subarray(0, 60)))
    })
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch })
    const error = await errorOf(client.webhookEndpoints.create({ url: 'https://app.example', events: [] }))
    expect(error).toMatchObject({ code: 'network_error', message: expect.stringContaining('List the endpoints') })
    expect(requests).toBe(1)
  })

  it.each([
    ['429 Too Many Requests', { code: 'rate_limited', status: 429, retryAfterMs: 60_000 }],
    ['503 Service Unavailable', { code: 'server_error', status: 503 }],
    ['404 Not Found', { code: 'not_found', status: 404 }],
  ])('of an error (%s) does not hide the error, or the delay that the service requests', async (status, expected) => {
    const body = gzipSync(JSON.stringify({ error: { code: 'x', message: CONTENT.repeat(9) } }))
    const cut = body.subarray(0, body.length / 2)
    for (const length of [cut.length, body.length]) {
      const headers = ['content-encoding: gzip', `content-length: ${length}`, 'retry-after: 60', 'connection: close']
      await using server = await serveRaw((socket) => socket.end(message(headers, cut, status)))
      const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch, totalTimeoutMs: 20_000 })
      expect(await errorOf(client.notes.get('n1'))).toMatchObject({ ...expected, attempts: [{}] })
    }
  })

  it('is not the empty response to a POST', async () => {
    await using server = await serveRaw((socket) => socket.end(framed('content-length', 'gzip', gzipSync(''))))
    await new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch }).webhookEndpoints.sendTest('e1')
  })

  it('is not what a compressed page of a proxy is, or an empty response', async () => {
    const page = gzipSync('<html>maintenance</html>')
    await using server = await serveRaw((socket) => socket.end(framed('content-length', 'gzip', page)))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, fetch })
    expect(await errorOf(client.notes.get('n1'))).toMatchObject({
      code: 'invalid_response',
      attempts: [{ status: 200 }],
    })
    await using empty = await serveRaw((socket) =>
      socket.end('HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n'),
    )
    await new NotesClient({ baseUrl: empty.baseUrl, apiKey: API_KEY, fetch }).webhookEndpoints.delete('e1')
  })
})

function framed(frame: string, encoding: string, body: Buffer): Buffer {
  return FRAMES[frame]?.(encoding, body) ?? Buffer.alloc(0)
}

function message(headers: readonly string[], body: Buffer, status = '200 OK'): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`), body])
}
