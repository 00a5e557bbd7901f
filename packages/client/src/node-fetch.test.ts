import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { serveRaw, wire } from '../fixtures/raw-server.ts'
import { CONTENT, shownBy } from '../fixtures/secrets.ts'
import { serve } from '../fixtures/wire-server.ts'
import { nodeFetch } from './node-fetch.ts'
import { NotesClient } from './notes-client.ts'

const TEXT = 'Good morning. '.repeat(10_000)

it('sends the method, the headers and the body of a request, with its length', async () => {
  await using server = await serve(() => ({ status: 200, body: 'ok' }))
  const headers = { 'content-type': 'application/json', 'x-one': '1' }
  const request = new Request(`${server.baseUrl}/path?a=b`, { method: 'POST', headers, body: '{"ä":1}' })
  expect(await (await nodeFetch(request)).text()).toBe('ok')
  expect(server.requests).toMatchObject([
    { method: 'POST', url: '/path?a=b', body: '{"ä":1}', headers: { ...headers, 'content-length': '8' } },
  ])
})

it('returns status, headers and body, and every value of a header', async () => {
  await using server = await serveRaw((socket) => {
    socket.write('HTTP/1.1 529 Overloaded\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 4\r\n\r\nbusy')
  })
  const response = await nodeFetch(new Request(server.baseUrl))
  expect([response.status, response.statusText, response.headers.get('x-a')]).toEqual([529, 'Overloaded', '1, 2'])
  expect(await response.text()).toBe('busy')
})

it('follows no redirect', async () => {
  await using server = await serve(() => ({ status: 302, headers: { location: '/elsewhere' } }))
  const response = await nodeFetch(new Request(server.baseUrl))
  expect([response.status, response.headers.get('location')]).toEqual([302, '/elsewhere'])
  expect(server.requests).toHaveLength(1)
})

it.each([204, 304])('returns no body for %i', async (status) => {
  await using server = await serve(() => ({ status }))
  expect((await nodeFetch(new Request(server.baseUrl))).body).toBeNull()
})

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('decodes a body in %s', async (coding, compress) => {
  await using server = await serve(() => (response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(compress(TEXT))
  })
  expect(await (await nodeFetch(new Request(server.baseUrl))).text()).toBe(TEXT)
})

it('fails while reading a compressed body that was cut off', async () => {
  await using server = await serve(() => (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT).subarray(0, -20))
  })
  const response = await nodeFetch(new Request(server.baseUrl))
  expect(await errorOf(response.text())).toMatchObject({ code: 'Z_BUF_ERROR' })
})

it('streams a body: the first part can be read before the last is sent', async () => {
  const { promise: firstWasRead, resolve: readFirst } = Promise.withResolvers<void>()
  await using server = await serve(() => async (response) => {
    response.write('first')
    await firstWasRead
    response.end('last')
  })
  const reader = (await nodeFetch(new Request(server.baseUrl))).body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
  readFirst()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last')
  expect(await reader?.read()).toMatchObject({ done: true })
})

it('closes the connection when the body is cancelled', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  await using server = await serve(() => (response) => {
    response.on('close', close)
    response.write('first')
  })
  const reader = (await nodeFetch(new Request(server.baseUrl))).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await closed
})

describe('an aborted signal rejects a request with its reason', () => {
  const reason = new Error('enough')

  it('before it is sent', async () => {
    await using server = await serve(() => ({ status: 200 }))
    const request = new Request(server.baseUrl, { signal: AbortSignal.abort(reason) })
    expect(await errorOf(nodeFetch(request))).toBe(reason)
    expect(server.requests).toEqual([])
  })

  it('while it waits for the headers', async () => {
    const abort = new AbortController()
    await using server = await serveRaw(() => abort.abort(reason))
    expect(await errorOf(nodeFetch(new Request(server.baseUrl, { signal: abort.signal })))).toBe(reason)
  })

  it('while it reads the body', async () => {
    const abort = new AbortController()
    await using server = await serve(() => (response) => void response.write('first'))
    const response = await nodeFetch(new Request(server.baseUrl, { signal: abort.signal }))
    const text = response.text()
    abort.abort(reason)
    expect(await errorOf(text)).toBe(reason)
  })
})

describe('a connection', () => {
  it('is kept alive for the next request', async () => {
    const ports = new Set<number | undefined>()
    await using server = await serve(() => (response) => {
      ports.add(response.socket?.remotePort)
      response.end('ok')
    })
    for (let count = 0; count < 3; count += 1) await (await nodeFetch(new Request(server.baseUrl))).text()
    expect(ports.size).toBe(1)
  })

  it('that the service closes when the next GET arrives is replaced at once', async () => {
    await using server = await serveRaw((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write(wire('ok'))
    })
    const read = async () => (await nodeFetch(new Request(server.baseUrl))).text()
    expect([await read(), await read()]).toEqual(['ok', 'ok'])
    expect(server.received).toBe(3)
  })

  it('that the service closes when a POST arrives fails, because the service may have received it', async () => {
    await using server = await serveRaw((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write(wire('ok'))
    })
    await (await nodeFetch(new Request(server.baseUrl))).text()
    const post = new Request(server.baseUrl, { method: 'POST', body: '{}' })
    expect(await errorOf(nodeFetch(post))).toMatchObject({ code: 'ECONNRESET' })
    expect(server.received).toBe(2)
  })

  it('that is refused fails with its code, which the client reports', async () => {
    const port = await closedPort()
    const baseUrl = `http://127.0.0.1:${port}`
    expect(await errorOf(nodeFetch(new Request(baseUrl)))).toMatchObject({ name: 'TypeError', code: 'ECONNREFUSED' })
    const client = new NotesClient({ baseUrl, apiKey: 'ntw_live_k7.s3cret', maxRetries: 0, fetch: nodeFetch })
    const error = { code: 'network_error', networkCode: 'ECONNREFUSED' }
    expect(await errorOf(client.notes.get('n1'))).toMatchObject(error)
  })

  it('that does not speak TLS fails with its code', async () => {
    await using server = await serve(() => ({ status: 200 }))
    const error = await errorOf(nodeFetch(new Request(server.baseUrl.replace('http:', 'https:'))))
    expect(error).toMatchObject({ name: 'TypeError', code: expect.stringMatching(/^(ERR_SSL_|ECONNRESET|EPROTO)/) })
  })
})

it('quotes neither the request nor the answer in an error', async () => {
  await using server = await serveRaw((socket) => socket.end(`SSH-2.0-OpenSSH_9.7 ${CONTENT}\r\n`))
  const request = new Request(server.baseUrl, { headers: { authorization: 'Bearer s3cret' } })
  const shown = shownBy(await errorOf(nodeFetch(request)))
  expect(shown).toContain('HPE_')
  expect(shown).not.toContain(CONTENT)
  expect(shown).not.toContain('s3cret')
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
