import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { pagesHandler } from './next.ts'
import { nodeHandler } from './node.ts'

type Mount = (receiver: Receiver, prepare: (request: IncomingMessage) => unknown) => RequestListener

const mounts: readonly [string, Mount][] = [
  ['nodeHandler', (receiver, prepare) => listenerOf(prepare, nodeHandler(receiver))],
  ['expressHandler, Express 5', (receiver, prepare) => appOf(express(), receiver, prepare)],
  ['expressHandler, Express 4', (receiver, prepare) => appOf(express4(), receiver, prepare)],
  ['pagesHandler', (receiver, prepare) => listenerOf(prepare, pagesHandler(receiver))],
]

function listenerOf(prepare: (request: IncomingMessage) => unknown, handle: RequestListener): RequestListener {
  return async (request, response) => {
    await prepare(request)
    handle(request, response)
  }
}

function appOf(app: ReturnType<typeof express>, receiver: Receiver, prepare: (request: IncomingMessage) => unknown) {
  app.use(async (request, _response, next) => {
    await prepare(request)
    next()
  })
  return app.use(expressHandler(receiver))
}

async function deliver(url: string) {
  const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended', noteId: 'nöte' }))
  return (await fetch(url, { method: 'POST', headers, body })).status
}

const define = (request: IncomingMessage, name: string, get: () => unknown) =>
  Object.defineProperty(request, name, { get, configurable: true, enumerable: true })
const thrower = () => {
  throw new SyntaxError('Invalid JSON')
}

describe.each(mounts)('%s in a host that gives requests properties of its own', (_name, mount) => {
  it('reads the stream if `body` throws', async () => {
    const { applied, logger, receiver } = recordingReceiver()
    await using server = await startServer(mount(receiver, (request) => define(request, 'body', thrower)))
    expect(await deliver(server.url)).toBe(204)
    expect(applied).toHaveLength(1)
    expect(logger.lines).toEqual([])
  })

  it('refuses a body that the host has read, if `body` throws, and names the ways out', async () => {
    const { applied, logger, receiver } = recordingReceiver()
    // As a function of Vercel in Node.js.
    const read = async (request: IncomingMessage) => {
      await request.toArray()
      define(request, 'body', thrower)
    }
    await using server = await startServer(mount(receiver, read))
    expect(await deliver(server.url)).toBe(500)
    expect(logger.lines.join()).toMatch(/the request body was parsed before.*bodyParser: false.*NODEJS_HELPERS=0/)
    expect(logger.lines.join()).not.toContain('please report it')
    expect(applied).toEqual([])
  })

  it('uses the bytes in `rawBody` of a body that the host has read', async () => {
    const { applied, receiver } = recordingReceiver()
    // As a function of Google Cloud or Firebase.
    const read = async (request: IncomingMessage) => {
      const rawBody = Buffer.concat(await request.toArray())
      Object.assign(request, { rawBody, body: JSON.parse(String(rawBody)) })
    }
    await using server = await startServer(mount(receiver, read))
    expect(await deliver(server.url)).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('reads the stream if `rawBody` throws', async () => {
    const { applied, receiver } = recordingReceiver()
    await using server = await startServer(mount(receiver, (request) => define(request, 'rawBody', thrower)))
    expect(await deliver(server.url)).toBe(204)
    expect(applied).toHaveLength(1)
  })
})

describe('nodeHandler', () => {
  it('refuses a request whose host hands over an empty stream in place of the body', async () => {
    const { applied, logger, receiver } = recordingReceiver()
    const handle = nodeHandler(receiver)
    await using server = await startServer((request, response) => {
      request.headers['content-length'] = '100'
      handle(request, response)
    })
    const { headers } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const request = httpRequest(server.url, { method: 'POST', headers })
    request.end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(500)
    expect(logger.lines.join()).toContain('the request body was parsed before')
    expect(applied).toEqual([])
  })

  it('serves node:http2', async () => {
    const { applied, receiver } = recordingReceiver()
    const handle = nodeHandler(receiver)
    const server = createHttp2Server((request, response) =>
      handle(request as unknown as IncomingMessage, response as never),
    ).listen(0)
    await once(server, 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const stream = session.request({ ':method': 'POST', ':path': '/webhooks/notes', ...headers })
    stream.end(body)
    const [answer] = await once(stream, 'response')
    expect(answer[':status']).toBe(204)
    expect(applied).toHaveLength(1)
    session.close()
    server.close()
  })
})
