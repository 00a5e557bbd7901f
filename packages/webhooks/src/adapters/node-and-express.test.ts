import { once } from 'node:events'
import { request as httpRequest, type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import express from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { withFirstAnswer } from '../../fixtures/first-answer.ts'
import { heldMemory } from '../../fixtures/held-memory.ts'
import { hurriedClock } from '../../fixtures/hurried-clock.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { passingHeaderLines } from '../../fixtures/passing-headers.ts'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { adapterChecks } from '../testing/adapter-checks.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { nodeHandler } from './node.ts'

const PATH = '/webhooks/notes'

const adapters: readonly [string, (receiver: Receiver) => RequestListener][] = [
  ['node:http', nodeHandler],
  ['Express 5', (receiver) => express().all(PATH, expressHandler(receiver))],
  ['Express 4', (receiver) => express4().all(PATH, expressHandler(receiver))],
  [
    'Express 5, as a mounted application',
    (receiver) => express().use('/webhooks', express().use(expressHandler(receiver))),
  ],
  [
    'Express 5 after express.raw()',
    (receiver) =>
      express()
        .use(express.raw({ type: '*/*', limit: '300kb', inflate: false }))
        .use(PATH, expressHandler(receiver)),
  ],
]

describe.each(adapters)('%s', (name, mount) => {
  describe('passes every check of an adapter', () => {
    const checks = name.includes('raw()') ? adapterChecks.filter((check) => !/413|415/.test(check.name)) : adapterChecks
    it.each(checks)('$name', ({ run }) => run((receiver) => startServer(mount(receiver))))
  })

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 404', async (method) => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    expect((await fetch(server.url, { method })).status).toBe(404)
  })

  it('answers HEAD with 404 and no body', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const response = await fetch(server.url, { method: 'HEAD' })
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('')
  })
})

// Only three, because tests over sockets are slow on a busy machine.
describe.each(adapters.slice(0, 3))('%s, over a socket', (_name, mount) => {
  it('accepts a body in a thousand chunks that split characters', async () => {
    const { applied, receiver } = recordingReceiver()
    await using server = await startServer(mount(receiver))
    const event = anEvent({ kind: 'note.ended', noteId: 'ünïcödé-🎻'.repeat(40) })
    const { headers, body } = await signAttempt(TEST_SECRET, event)
    const request = httpRequest(server.url, { method: 'POST', headers })
    for (const byte of Buffer.from(body)) request.write(Buffer.from([byte]))
    request.end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(204)
    expect(applied).toEqual([event.event_id])
  })

  it('answers 204 without a Content-Length, which RFC 9110 forbids there', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const accepted = await fetch(server.url, { method: 'POST', headers, body })
    const refused = await fetch(server.url, { method: 'POST', body })
    expect([accepted.status, accepted.headers.get('content-length')]).toEqual([204, null])
    expect([refused.status, refused.headers.get('content-length')]).toEqual([
      401,
      String((await refused.text()).length),
    ])
  })

  it('refuses a compressed body without inflating it', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: gzipSync(body),
    })
    expect(response.status).toBe(415)
  })

  it('accepts a body of any media type, because only the signature counts', async () => {
    const { applied, receiver } = recordingReceiver()
    await using server = await startServer(mount(receiver))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body,
    })
    expect(response.status).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('refuses 100 MB at the limit, with constant memory', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    const gone = closeOf(socket)
    socket.on('error', () => undefined)
    const answered = firstLine(socket)
    const megabyte = Buffer.alloc(1_000_000, 'x')
    const before = await heldMemory()
    let peak = before
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}Transfer-Encoding: chunked\r\n\r\n`)
    for (let sent = 1; sent <= 100 && !socket.destroyed; sent += 1) {
      socket.write(`${megabyte.length.toString(16)}\r\n`)
      socket.write(megabyte)
      const flushed = Promise.withResolvers<unknown>()
      socket.write('\r\n', flushed.resolve)
      await Promise.race([flushed.promise, gone])
      if (sent % 10 === 0) peak = Math.max(peak, await heldMemory())
    }
    expect(await answered).toBe('HTTP/1.1 413 Payload Too Large')
    expect(peak - before).toBeLessThan(20_000_000)
    socket.destroy()
  })

  it('refuses a Content-Length above the limit before the body arrives', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 262145\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 413 Payload Too Large')
    socket.destroy()
  })

  it('closes the connection of a client that stalls', async () => {
    await using server = await startServer(mount(recordingReceiver({ clock: hurriedClock() }).receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}Content-Length: 1000\r\n\r\n{"event_id":`,
    )
    const closed = closeOf(socket)
    expect(await firstLine(socket)).toBe('HTTP/1.1 408 Request Timeout')
    await closed
  })

  it('closes the connection of a client that continues to send a refused body', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    const closed = closeOf(socket)
    const answered = firstLine(socket)
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n`)
    const trickle = setInterval(() => socket.write('x'.repeat(1000)), 20)
    expect(await answered).toBe('HTTP/1.1 413 Payload Too Large')
    await closed
    clearInterval(trickle)
  })

  it('stops reading when a client disconnects in the middle of the body, and serves the next request', async () => {
    const { applied, receiver } = recordingReceiver()
    const { asked, firstAnswer, receiver: watched } = withFirstAnswer(receiver)
    await using server = await startServer(mount(watched))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}Content-Length: 1000\r\n\r\n{"event_id":`,
    )
    await asked
    socket.resetAndDestroy()
    expect((await firstAnswer).status).toBe(400)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await fetch(server.url, { method: 'POST', headers, body })).status).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('lets a refused client finish sending for a second, so that the client can read the answer', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 413 Payload Too Large')
    await sleep(50)
    socket.write('x'.repeat(300_000))
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 404 Not Found')
    socket.destroy()
  })

  it('answers 401 before the body of a request without signature headers, and serves the next request', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 401 Unauthorized')
    socket.write('x'.repeat(200_000))
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 404 Not Found')
    socket.destroy()
  })

  it('sends its early 401 to a client that reads only after it has sent 5 MB', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.pause()
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const megabyte = 'x'.repeat(1_000_000)
    for (let sent = 1; sent <= 5; sent += 1) socket.write(`${(1_000_000).toString(16)}\r\n${megabyte}\r\n`)
    const flushed = Promise.withResolvers<unknown>()
    socket.write('0\r\n\r\n', flushed.resolve)
    await flushed.promise
    socket.resume()
    expect(await firstLine(socket)).toBe('HTTP/1.1 401 Unauthorized')
    socket.destroy()
  })

  it('serves the next request on the connection of a refused request', async () => {
    await using server = await startServer(mount(recordingReceiver().receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 401 Unauthorized')
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await firstLine(socket)).toBe('HTTP/1.1 404 Not Found')
    socket.destroy()
  })
})

it('nodeHandler leaves no timer after it has refused a body that arrived with its headers', async () => {
  const clock = new ManualClock(Date.now())
  await using server = await startServer(nodeHandler(recordingReceiver({ clock, maxBodyBytes: 10 }).receiver))
  const socket = connect(server.port, '127.0.0.1')
  const chunked = `Transfer-Encoding: chunked\r\n\r\n14\r\n${'x'.repeat(20)}\r\n`
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}${chunked}`)
  expect(await firstLine(socket)).toBe('HTTP/1.1 413 Payload Too Large')
  expect(clock.sleeping).toBe(0)
  socket.destroy()
})

// `once` would reject if the socket emits an error before it closes, as a reset connection does.
function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve())
  })
}

async function firstLine(socket: Socket): Promise<string | undefined> {
  const [data] = await once(socket, 'data')
  return String(data).split('\r\n')[0]
}
