import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import express from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { withFirstAnswer } from '../../fixtures/first-answer.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { passingHeaderLines } from '../../fixtures/passing-headers.ts'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { startServer } from '../../fixtures/start-server.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { expressHandler } from './express.ts'
import { nodeHandler } from './node.ts'

const PATH = '/webhooks/notes'

describe('a body parser before the receiver', () => {
  const deliver = async (url: string) => {
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended', noteId: 'nöte' }))
    return await fetch(url, { method: 'POST', headers, body })
  }

  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('of %s consumes the body: 500 at once, and a log line with the fix', async (_version, framework) => {
    const { applied, logger, receiver } = recordingReceiver()
    await using server = await startServer(framework().use(framework.json()).post(PATH, expressHandler(receiver)))
    expect((await deliver(server.url)).status).toBe(500)
    expect(logger.lines.join()).toMatch(
      /Mount the receiver before any body parser, or .* keep the raw bytes in req\.rawBody/,
    )
    expect(applied).toEqual([])
  })

  it('that sets an encoding turns the bytes into text: 500 at once', async () => {
    const { logger, receiver } = recordingReceiver()
    const handle = nodeHandler(receiver)
    await using server = await startServer((request, response) => {
      request.setEncoding('utf8')
      handle(request, response)
    })
    expect((await deliver(server.url)).status).toBe(500)
    expect(logger.lines.join()).toMatch(/Mount the receiver before any body parser/)
  })

  it.each([
    ['node:http', nodeHandler],
    ['Express 5', (receiver: Receiver) => express().use(expressHandler(receiver))],
  ])('that reads the body by a "readable" listener consumes the body before %s: 500 at once', async (_name, mount) => {
    const clock = new ManualClock(Date.now())
    const { logger, receiver } = recordingReceiver({ clock })
    const handle = mount(receiver)
    await using server = await startServer((request, response) => {
      request.on('readable', () => undefined)
      handle(request, response)
    })
    // The clock does not advance, so this is not the answer at the deadline.
    expect((await deliver(server.url)).status).toBe(500)
    expect(logger.lines.join()).toMatch(/Mount the receiver before any body parser/)
  })

  it('may pause the request for some time', async () => {
    const { applied, receiver } = recordingReceiver()
    const handle = nodeHandler(receiver)
    await using server = await startServer((request, response) => {
      request.pause()
      setTimeout(() => handle(request, response), 20)
    })
    expect((await deliver(server.url)).status).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('that keeps text in req.body is refused, because the text may differ from the signed bytes', async () => {
    const { receiver } = recordingReceiver()
    await using server = await startServer(
      express()
        .use(express.text({ type: '*/*' }))
        .post(PATH, expressHandler(receiver)),
    )
    expect((await deliver(server.url)).status).toBe(500)
  })

  it('that keeps text in req.rawBody is verified', async () => {
    const { receiver } = recordingReceiver()
    const keep = express.json({
      verify: (request, _response, bytes) => Object.assign(request, { rawBody: String(bytes) }),
    })
    await using server = await startServer(express().use(keep).post(PATH, expressHandler(receiver)))
    expect((await deliver(server.url)).status).toBe(204)
  })

  it.each([
    [{ note_id: 'note_1' }, 500],
    ['{"note_id":"note_1"}', 500],
    [{}, 204],
    ['', 204],
    [null, 204],
    [undefined, 204],
  ])('is detected by `req.body`, even if the stream looks unread: %j gets %i', async (body, status) => {
    const handle = nodeHandler(recordingReceiver().receiver)
    await using server = await startServer((request, response) => handle(Object.assign(request, { body }), response))
    expect((await deliver(server.url)).status).toBe(status)
  })

  it.each([['Content-Length: 0\r\n\r\n'], ['Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']])(
    'may consume an empty body: 401 at once',
    async (emptyBody) => {
      const { receiver } = recordingReceiver({ clock: new ManualClock(Date.now()) })
      await using server = await startServer(express().use(express.json()).post(PATH, expressHandler(receiver)))
      const socket = connect(server.port, '127.0.0.1')
      const type = 'Content-Type: application/json\r\n'
      socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}${type}${emptyBody}`)
      const [answer] = await once(socket, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /)
      socket.destroy()
    },
  )

  it('may be so slow that the client disconnects before the receiver runs', async () => {
    const { firstAnswer, receiver } = withFirstAnswer(recordingReceiver().receiver)
    const gone = Promise.withResolvers<IncomingMessage>()
    await using server = await startServer((request) => {
      request.once('close', () => gone.resolve(request))
    })
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}Content-Length: 1000\r\n\r\n`)
    await once(server.server, 'request')
    socket.resetAndDestroy()
    const request = await gone.promise
    nodeHandler(receiver)(request, new ServerResponse(request))
    expect((await firstAnswer).status).toBe(400)
  })

  it('may keep the raw bytes in req.rawBody', async () => {
    const { applied, receiver } = recordingReceiver()
    const keep = express.json({ verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) })
    await using server = await startServer(express().use(keep).post(PATH, expressHandler(receiver)))
    expect((await deliver(server.url)).status).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it.each([
    [
      'in req.rawBody',
      express.json({ limit: '1mb', verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ],
    ['in req.body', express.raw({ type: '*/*', limit: '1mb' })],
  ])('that keeps more bytes %s than the limit of the receiver gets 413', async (_where, parser) => {
    const { applied, receiver } = recordingReceiver({ maxBodyBytes: 1_000 })
    await using server = await startServer(express().use(parser).post(PATH, expressHandler(receiver)))
    const sendOf = async (length: number) => {
      const event = JSON.stringify(anEvent({ kind: 'note.ended' }))
      const { headers, body } = await signAttempt(TEST_SECRET, event + ' '.repeat(length - event.length))
      // In chunks, so that there is no Content-Length.
      const request = httpRequest(server.url, { method: 'POST', headers })
      request.write(body.slice(0, 100))
      request.end(body.slice(100))
      const [response] = await once(request, 'response')
      response.resume()
      return response.statusCode
    }
    expect([await sendOf(1_001), await sendOf(1_000)]).toEqual([413, 204])
    expect(applied).toHaveLength(1)
  })

  it('may run on other routes, or after the receiver', async () => {
    const { applied, receiver } = recordingReceiver()
    const app = express().post(PATH, expressHandler(receiver)).use(express.json())
    app.post('/other', (request, response) => void response.json(request.body))
    await using server = await startServer(app)
    expect((await deliver(server.url)).status).toBe(204)
    const other = await fetch(new URL('/other', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect(await other.json()).toEqual({ a: 1 })
    expect(applied).toHaveLength(1)
  })
})
