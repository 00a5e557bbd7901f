import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable, Transform } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { type FastifyInstance, fastify, type RequestPayload } from 'fastify'
import fastifyRawBody from 'fastify-raw-body'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import type { ReceiverOptions } from '../options/receiver-options.ts'
import { createReceivers } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { fastifyPlugin } from './fastify.ts'

const url = '/webhooks/notes'

/** A listening application with a receiver, and what the receiver did. */
async function listening(arrange: (app: FastifyInstance) => unknown, options: Partial<ReceiverOptions> = {}) {
  const { applied, logger, receiver } = recordingReceiver(options)
  const app = fastify()
  await arrange(app)
  app.register(fastifyPlugin, { receiver, url })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    app.server.closeAllConnections()
    await app.close()
  }
  return { applied, logger, url: `http://127.0.0.1:${port}${url}`, [Symbol.asyncDispose]: close }
}

async function deliver(to: string, { noteId = 'nöte', encode = (body: string): BodyInit => body, more = {} } = {}) {
  const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended', noteId }))
  return await fetch(to, { method: 'POST', headers: { ...headers, ...more }, body: encode(body) })
}

type Hook = (payload: RequestPayload) => Promise<RequestPayload>

async function bytesOf(payload: Readable): Promise<Buffer> {
  return Buffer.concat(await payload.toArray())
}

describe('a preParsing hook', () => {
  it.each<[string, Hook]>([
    ['a stream that the body is piped through', async (payload) => payload.pipe(new PassThrough())],
    [
      'a transformation that passes each byte',
      async (payload) =>
        payload.pipe(
          new Transform({
            transform: (chunk: Buffer, _encoding, done) => {
              done(null, chunk)
            },
          }),
        ),
    ],
    ['a stream that emits text', async (payload) => payload.pipe(new PassThrough({ encoding: 'utf8' }))],
    ['a stream that emits base64', async (payload) => payload.pipe(new PassThrough({ encoding: 'base64' }))],
    ['a stream of the bytes that it has read', async (payload) => Readable.from([await bytesOf(payload)])],
    ['a stream of the text that it has read', async (payload) => Readable.from((await bytesOf(payload)).toString())],
    [
      'a stream that starts later',
      async (payload) => {
        await wait(30)
        return payload.pipe(new PassThrough())
      },
    ],
  ])('may return %s', async (_what, hook) => {
    await using server = await listening((app) =>
      app.addHook('preParsing', async (_request, _reply, payload) => hook(payload)),
    )
    expect((await deliver(server.url)).status).toBe(204)
    expect(server.applied).toHaveLength(1)
    expect(server.logger.lines).toEqual([])
  })

  it('may let a hash read the same stream', async () => {
    const hash = createHash('sha256')
    await using server = await listening((app) =>
      app.addHook('preParsing', (_request, _reply, payload, done) => {
        payload.pipe(hash)
        done(null, payload)
      }),
    )
    expect((await deliver(server.url)).status).toBe(204)
    expect(hash.read()).toHaveLength(32)
  })

  it('may be followed by a hook that waits', async () => {
    await using server = await listening((app) => {
      app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(new PassThrough()))
      app.addHook('preHandler', async () => wait(30))
    })
    expect((await deliver(server.url)).status).toBe(204)
  })

  it('may decompress the body, since the signature covers the plain bytes', async () => {
    await using server = await listening((app) =>
      app.addHook('preParsing', async (request, _reply, payload) =>
        request.headers['content-encoding'] === 'gzip' ? payload.pipe(createGunzip()) : payload,
      ),
    )
    const gzip = { more: { 'content-encoding': 'gzip' }, encode: (body: string) => gzipSync(body) }
    expect((await deliver(server.url, gzip)).status).toBe(204)
    expect((await deliver(server.url)).status).toBe(204)
  })

  it('may decompress to more than the limit: 413', async () => {
    const unpack: Hook = async (payload) => payload.pipe(createGunzip())
    await using server = await listening(
      (app) => app.addHook('preParsing', async (_request, _reply, payload) => unpack(payload)),
      { maxBodyBytes: 1_000 },
    )
    const encode = (body: string) => gzipSync(body + ' '.repeat(1_000_000))
    expect((await deliver(server.url, { encode })).status).toBe(413)
    expect(server.applied).toEqual([])
  })

  it('may change the bytes, which then have another signature: 401', async () => {
    await using server = await listening((app) =>
      app.addHook('preParsing', async (_request, _reply, payload) => Readable.from([await bytesOf(payload), ' '])),
    )
    expect((await deliver(server.url)).status).toBe(401)
    expect(server.applied).toEqual([])
  })

  it('may return a stream that fails: 400, and the application continues', async () => {
    await using server = await listening((app) =>
      app.addHook('preParsing', async (_request, _reply, payload) => {
        payload.resume()
        return new Readable({
          read() {
            this.destroy(new Error('the digest does not match'))
          },
        })
      }),
    )
    expect((await deliver(server.url)).status).toBe(400)
    expect((await deliver(server.url)).status).toBe(400)
  })

  it.each<[string, Hook]>([
    [
      'reads the body and returns the same stream',
      async (payload) => {
        await bytesOf(payload)
        return payload
      },
    ],
    [
      'returns a stream that it has read',
      async (payload) => {
        const read = payload.pipe(new PassThrough())
        await bytesOf(read)
        return read
      },
    ],
    [
      'returns a stream of parsed objects',
      async (payload) => Readable.from([JSON.parse(String(await bytesOf(payload)))]),
    ],
  ])('that %s: 500 at once, and a log line with the fix', async (_what, hook) => {
    await using server = await listening((app) =>
      app.addHook('preParsing', async (_request, _reply, payload) => hook(payload)),
    )
    expect((await deliver(server.url)).status).toBe(500)
    expect(server.logger.lines.join()).toContain('the request body was parsed before')
    expect(server.applied).toEqual([])
  })
})

describe('fastify-raw-body', () => {
  it.each([
    ['text', {}],
    ['bytes', { encoding: false as const }],
    ['bytes, first', { encoding: false as const, runFirst: true }],
  ])('may keep %s', async (_what, options) => {
    await using server = await listening((app) => app.register(fastifyRawBody, options))
    expect((await deliver(server.url)).status).toBe(204)
    expect((await fetch(server.url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(server.applied).toHaveLength(1)
  })

  it('may keep the bytes before the secret of an integration is found', async () => {
    const applied: string[] = []
    const receiver = createReceivers({
      secretOf: async () => {
        await wait(30)
        return TEST_SECRET
      },
      on: { 'note.ended': ({ event_id }) => void applied.push(event_id) },
    })
    const app = fastify()
    await app.register(fastifyRawBody, {})
    app.register(fastifyPlugin, { receiver, url: `${url}/:integration` })
    const { headers, body } = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
    const answer = await app.inject({ method: 'POST', url: `${url}/acme`, headers, payload: body })
    expect(answer.statusCode).toBe(204)
    expect(applied).toHaveLength(1)
  })

  it('may have read all bytes by then: they are in rawBody', async () => {
    await using server = await listening((app) => {
      app.decorateRequest('rawBody', undefined)
      app.addHook('preParsing', async (request, _reply, payload) => {
        Object.assign(request, { rawBody: await bytesOf(payload) })
        return payload
      })
    })
    expect((await deliver(server.url)).status).toBe(204)
  })
})
