import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type FastifyInstance, fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { hurriedClock } from '../../fixtures/hurried-clock.ts'
import { passingHeaderLines } from '../../fixtures/passing-headers.ts'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { adapterChecks } from '../testing/adapter-checks.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { fastifyPlugin } from './fastify.ts'

const url = '/webhooks/notes'

const applications: readonly [string, (receiver: Receiver) => FastifyInstance][] = [
  ['Fastify', (receiver) => withReceiver(fastify(), receiver)],
  ['Fastify, under a prefix', (receiver) => withPrefix(fastify(), receiver)],
  ['Fastify with a small bodyLimit', (receiver) => withReceiver(fastify({ bodyLimit: 10 }), receiver)],
  ['Fastify with custom parsers', (receiver) => withReceiver(withParsers(fastify()), receiver)],
]

function withReceiver(app: FastifyInstance, receiver: Receiver): FastifyInstance {
  app.register(fastifyPlugin, { receiver, url })
  return app
}

function withPrefix(app: FastifyInstance, receiver: Receiver): FastifyInstance {
  app.register((api, _options, done) => {
    api.register(fastifyPlugin, { receiver, url: '/notes', prefix: '/webhooks' })
    done()
  })
  return app
}

function withParsers(app: FastifyInstance): FastifyInstance {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { parsed: JSON.parse(String(body)) })
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

async function listen(app: FastifyInstance) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    app.server.closeAllConnections()
    await app.close()
  }
  return { port, url: `http://127.0.0.1:${port}${url}`, close, [Symbol.asyncDispose]: close }
}

describe.each(applications)('%s', (_name, mount) => {
  describe('passes every check of an adapter', () => {
    it.each(adapterChecks)('$name', ({ run }) => run((receiver) => listen(mount(receiver))))
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 404', async (method) => {
    await using server = await listen(mount(recordingReceiver().receiver))
    expect((await fetch(server.url, { method })).status).toBe(404)
  })
})

describe('the route of the plugin', () => {
  it('accepts a body in a thousand chunks that split characters', async () => {
    const { applied, receiver } = recordingReceiver()
    await using server = await listen(withReceiver(fastify(), receiver))
    const event = anEvent({ kind: 'note.ended', noteId: 'ünïcödé-🎻'.repeat(40) })
    const { headers, body } = await signAttempt(TEST_SECRET, event)
    const request = httpRequest(server.url, { method: 'POST', headers })
    for (const byte of Buffer.from(body)) request.write(Buffer.from([byte]))
    request.end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(204)
    expect(applied).toEqual([event.event_id])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'no media type', ';;;'])(
    'accepts a body with the media type %j, because only the signature counts',
    async (type) => {
      const { applied, receiver } = recordingReceiver()
      await using server = await listen(withReceiver(fastify(), receiver))
      const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
      const response = await fetch(server.url, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
      expect(response.status).toBe(204)
      expect(applied).toHaveLength(1)
    },
  )

  it('refuses a compressed body without inflating it', async () => {
    await using server = await listen(withReceiver(fastify(), recordingReceiver().receiver))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const encoded = { ...headers, 'content-encoding': 'gzip' }
    expect((await fetch(server.url, { method: 'POST', headers: encoded, body: gzipSync(body) })).status).toBe(415)
  })

  it('refuses a request without a body with 401', async () => {
    await using server = await listen(withReceiver(fastify(), recordingReceiver().receiver))
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(401)
  })

  it('closes the connection of a client that stalls', async () => {
    await using server = await listen(withReceiver(fastify(), recordingReceiver({ clock: hurriedClock() }).receiver))
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST ${url} HTTP/1.1\r\nHost: x\r\n${await passingHeaderLines()}Content-Length: 1000\r\n\r\n{"event_id":`,
    )
    const closed = once(socket, 'close')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /)
    await closed
  })

  it('compares the option `path` with the requested path, including the prefix', async () => {
    const { applied, receiver } = recordingReceiver({ path: url })
    await using server = await listen(withPrefix(fastify(), receiver))
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await fetch(`${server.url}?from=console`, { method: 'POST', headers, body })).status).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('closes the HTTP/2 stream of a client that continues to send a refused body', async () => {
    const app = fastify({ http2: true })
    app.register(fastifyPlugin, { receiver: recordingReceiver().receiver, url })
    const session = connectHttp2(await app.listen({ host: '127.0.0.1', port: 0 }))
    const stream = session.request({ ':method': 'POST', ':path': url })
    const statuses: unknown[] = []
    stream.on('response', (headers) => statuses.push(headers[':status'])).on('error', () => undefined)
    stream.resume()
    const sending = setInterval(() => stream.writable && stream.write('x'.repeat(1_000)), 20)
    await new Promise((resolve) => stream.on('close', resolve))
    clearInterval(sending)
    expect(statuses).toEqual([401])
    session.destroy()
    await app.close()
  })

  it('removes the pseudo-headers of HTTP/2 from the headers', async () => {
    const seen: string[][] = []
    const { receiver } = recordingReceiver({
      on: { 'note.ended': (_event, { headers }) => void seen.push([...headers.keys()]) },
    })
    const app = fastify({ http2: true })
    app.register(fastifyPlugin, { receiver, url })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    const session = connectHttp2(address)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const stream = session.request({ ':method': 'POST', ':path': url, ...headers })
    stream.end(body)
    const [answer] = await once(stream, 'response')
    expect(answer[':status']).toBe(204)
    expect(seen).toEqual([Object.keys(headers).sort()])
    session.destroy()
    await app.close()
  })

  it('can be called with inject', async () => {
    const { applied, receiver } = recordingReceiver()
    const app = withReceiver(fastify(), receiver)
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await app.inject({ method: 'POST', url, headers, payload: body })).statusCode).toBe(204)
    expect((await app.inject({ method: 'POST', url, headers, payload: `${body} ` })).statusCode).toBe(401)
    expect(applied).toHaveLength(1)
  })

  it('runs the hooks of the application', async () => {
    const seen: string[] = []
    const app = fastify()
    app.addHook('onRequest', async () => void seen.push('request'))
    app.addHook('onResponse', async (_request, reply) => void seen.push(`response ${reply.statusCode}`))
    await withReceiver(app, recordingReceiver().receiver).inject({ method: 'POST', url })
    expect(seen).toEqual(['request', 'response 401'])
  })
})

describe('other routes', () => {
  it.each([
    ['registered before', (app: FastifyInstance, receiver: Receiver) => withReceiver(echoing(app), receiver)],
    ['registered after', (app: FastifyInstance, receiver: Receiver) => echoing(withReceiver(app, receiver))],
  ])('keep the JSON parser and the bodyLimit of Fastify, %s the plugin', async (_order, arrange) => {
    const app = arrange(fastify({ bodyLimit: 100 }), recordingReceiver().receiver)
    const post = (payload: object) => app.inject({ method: 'POST', url: '/echo', payload })
    expect((await post({ a: 1 })).json()).toEqual({ a: 1 })
    expect((await post({ a: 'x'.repeat(100) })).statusCode).toBe(413)
    const strange = { 'content-type': 'application/strange' }
    expect((await app.inject({ method: 'POST', url: '/echo', headers: strange, payload: 'x' })).statusCode).toBe(415)
  })
})

describe('several receivers', () => {
  it('can be mounted in one application', async () => {
    const personal = recordingReceiver()
    const channel = recordingReceiver()
    const app = fastify()
    app.register(fastifyPlugin, { receiver: personal.receiver, url: '/personal' })
    app.register(fastifyPlugin, { receiver: channel.receiver, url: '/channel' })
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    expect((await app.inject({ method: 'POST', url: '/channel', headers, payload: body })).statusCode).toBe(204)
    expect([personal.applied.length, channel.applied.length]).toEqual([0, 1])
  })
})

describe('a registration without a receiver', () => {
  it('fails when the application starts', async () => {
    const app = fastify()
    app.register(fastifyPlugin, { url } as never)
    await expect(app.ready()).rejects.toThrow('fastifyPlugin needs a receiver.')
    await expect(
      fastify()
        .register(fastifyPlugin as never)
        .ready(),
    ).rejects.toThrow('fastifyPlugin needs a receiver.')
  })
})

function echoing(app: FastifyInstance): FastifyInstance {
  app.post('/echo', async (request) => request.body)
  return app
}
