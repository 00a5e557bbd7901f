import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { serveRaw, wire } from '../../fixtures/raw-server.ts'
import { API_KEY, CONTENT, shownBy } from '../../fixtures/secrets.ts'
import { NotesClientError } from '../errors/notes-client-error.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientOptions } from '../options/notes-client-options.ts'

const NOTE = JSON.stringify({ note_id: 'n1', revision: 1, title: CONTENT })
const HALF = NOTE.slice(0, -5)
const LONG = { 'content-length': '5000' }
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

/** Faulty responses to the request for a note, and the code of the error. */
const FAULTY_RESPONSES: Readonly<Record<string, readonly [respond: (socket: Socket) => void, code: string]>> = {
  'promises more than it sends, and hangs up': [(socket) => socket.end(wire(NOTE, LONG)), 'network_error'],
  'promises more than it sends, and waits': [(socket) => socket.write(wire(NOTE, LONG)), 'timeout'],
  'promises less than it sends': [(socket) => socket.write(wire(NOTE, { 'content-length': '20' })), 'invalid_response'],
  'promises a length that is no number': [
    (socket) => socket.end(wire(NOTE, { 'content-length': 'many' })),
    'network_error',
  ],
  'sends half a JSON with the right length': [(socket) => socket.write(wire(HALF)), 'invalid_response'],
  'sends half a JSON in chunks, and hangs up': [
    (socket) => socket.end(`${CHUNKED}${HALF.length.toString(16)}\r\n${HALF}\r\n`),
    'network_error',
  ],
  'sends invalid chunks': [(socket) => socket.end(`${CHUNKED}zz\r\n${NOTE}\r\n0\r\n\r\n`), 'network_error'],
  'sends HTML': [(socket) => socket.write(wire(`<html>${CONTENT}</html>`)), 'invalid_response'],
  'sends nothing': [(socket) => socket.write(wire('')), 'invalid_response'],
  'answers 204': [(socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 'invalid_response'],
  'sends bytes that are not UTF-8': [
    (socket) => {
      socket.write(wire('', { 'content-length': '4' }))
      socket.write(Buffer.from([0xff, 0xfe, 0x00, 0x80]))
    },
    'invalid_response',
  ],
  'says that it is compressed, and is not': [
    (socket) => socket.write(wire(NOTE, { 'content-encoding': 'gzip' })),
    'network_error',
  ],
  'does not speak HTTP': [(socket) => socket.end(`SSH-2.0-OpenSSH_9.7 ${CONTENT}\r\n`), 'network_error'],
  'sends endless headers': [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-content: ${CONTENT.repeat(5000)}`),
    'network_error',
  ],
  'hangs up at once': [(socket) => socket.end(), 'network_error'],
  'resets the connection at once': [(socket) => socket.resetAndDestroy(), 'network_error'],
  'resets it in the middle of the body': [
    (socket) => socket.write(wire(HALF, LONG), () => socket.resetAndDestroy()),
    'network_error',
  ],
  'sends no response': [() => {}, 'timeout'],
  'sends one byte after the other without end': [drip, 'timeout'],
}

// The shortest delays of full jitter.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

describe('a server that', () => {
  it.each(Object.entries(FAULTY_RESPONSES))('%s', async (_, [respond, code]) => {
    await using server = await serveRaw(respond)
    const error = await errorOf(clientOf(server, { timeoutMs: timeoutFor(code), maxRetries: 1 }).notes.get('n1'))
    expect(error).toBeInstanceOf(NotesClientError)
    expect(error).toMatchObject({ code })
    expect((error as NotesClientError).attempts).toHaveLength(code === 'invalid_response' ? 1 : 2)
    expect(shownBy(error)).not.toContain(CONTENT)
    expect(shownBy(error)).not.toContain(API_KEY)
  })

  it.each(Object.entries(FAULTY_RESPONSES))('%s does not affect the next call', async (_, [respond, code]) => {
    await using server = await serveRaw((socket, count) => {
      if (count === 1) respond(socket)
      else socket.write(wire(NOTE))
    })
    await errorOf(clientOf(server, { timeoutMs: timeoutFor(code), maxRetries: 0 }).notes.get('n1'))
    expect(await clientOf(server, { maxRetries: 0 }).notes.get('n1')).toMatchObject({ note_id: 'n1' })
  })
})

describe('an endless response', () => {
  it.each([
    ['200 OK', 'invalid_response'],
    ['500 Internal Server Error', 'server_error'],
  ])('is read up to 64 MiB: %s', async (status, code) => {
    await using server = await serveRaw((socket) => pourOut(socket, status))
    const error = await errorOf(clientOf(server, { maxRetries: 0 }).notes.get('n1'))
    expect(error).toMatchObject({ code })
    if (code === 'invalid_response') expect(String(error)).toContain('larger than 64 MiB')
  })

  it('is limited to 64 MiB after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024))
    await using server = await serveRaw((socket) => {
      socket.write(wire('', { 'content-encoding': 'gzip', 'content-length': `${bomb.length}` }))
      socket.write(bomb)
    })
    const error = await errorOf(clientOf(server, { maxRetries: 0 }).notes.get('n1'))
    expect(error).toMatchObject({ code: 'invalid_response' })
    expect(String(error)).toContain('larger than 64 MiB')
  })
})

describe('a valid response that is unusual', () => {
  const compressed = gzipSync(NOTE)

  it.each<[string, (socket: Socket) => void]>([
    ['comes byte by byte', (socket) => void slowly(socket, wire(NOTE))],
    ['breaks in the middle of a character', splitCharacter],
    ['begins with a byte order mark', (socket) => socket.write(wire(`\ufeff${NOTE}`))],
    ['does not say that it is JSON', (socket) => socket.write(wire(NOTE, { 'content-type': 'text/plain' }))],
    ['has no length and ends with the connection', (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${NOTE}`)],
    [
      'is compressed',
      (socket) => {
        socket.write(wire('', { 'content-encoding': 'gzip', 'content-length': `${compressed.length}` }))
        socket.write(compressed)
      },
    ],
  ])('is read: it %s', async (_, respond) => {
    await using server = await serveRaw(respond)
    expect(await clientOf(server, { maxRetries: 0 }).notes.get('n1')).toMatchObject({ note_id: 'n1', revision: 1 })
    expect(server.received).toBe(1)
  })
})

/** Long enough for a slow machine, unless the test is about the time limit. */
function timeoutFor(code: string): number {
  return code === 'timeout' ? 150 : 300_000
}

function drip(socket: Socket): void {
  socket.write(wire('', LONG))
  const drops = setInterval(() => socket.write('{'), 20)
  socket.on('close', () => clearInterval(drops))
}

async function slowly(socket: Socket, text: string): Promise<void> {
  for (const character of text) {
    socket.write(character)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function splitCharacter(socket: Socket): void {
  const bytes = Buffer.from(wire(JSON.stringify({ note_id: 'n1', revision: 1, title: '🎙' })))
  const middle = bytes.indexOf(0xf0) + 2
  socket.write(bytes.subarray(0, middle))
  setTimeout(() => socket.write(bytes.subarray(middle)), 20)
}

function pourOut(socket: Socket, status: string): void {
  const chunk = ' '.repeat(1024 * 1024)
  const pour = () => {
    while (socket.writable && socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`));
  }
  socket.write(`HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`)
  socket.on('drain', pour)
  pour()
}

function clientOf({ baseUrl }: { readonly baseUrl: string }, options: Partial<NotesClientOptions>): NotesClient {
  return new NotesClient({ baseUrl, apiKey: API_KEY, timeoutMs: 300_000, totalTimeoutMs: 600_000, ...options })
}
