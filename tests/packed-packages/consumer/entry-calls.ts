import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Every entry that the packages export, by its specifier. */
interface Entries {
  readonly '@notewire/protocol': typeof import('@notewire/protocol')
  readonly '@notewire/protocol/schemas': typeof import('@notewire/protocol/schemas')
  readonly '@notewire/client': typeof import('@notewire/client')
  readonly '@notewire/client/node-fetch': typeof import('@notewire/client/node-fetch')
  readonly '@notewire/client/opentelemetry': typeof import('@notewire/client/opentelemetry')
  readonly '@notewire/webhooks': typeof import('@notewire/webhooks')
  readonly '@notewire/webhooks/verify': typeof import('@notewire/webhooks/verify')
  readonly '@notewire/webhooks/node': typeof import('@notewire/webhooks/node')
  readonly '@notewire/webhooks/express': typeof import('@notewire/webhooks/express')
  readonly '@notewire/webhooks/fastify': typeof import('@notewire/webhooks/fastify')
  readonly '@notewire/webhooks/next': typeof import('@notewire/webhooks/next')
  readonly '@notewire/webhooks/lambda': typeof import('@notewire/webhooks/lambda')
  readonly '@notewire/webhooks/sqlite': typeof import('@notewire/webhooks/sqlite')
  readonly '@notewire/webhooks/postgres': typeof import('@notewire/webhooks/postgres')
  readonly '@notewire/webhooks/redis': typeof import('@notewire/webhooks/redis')
  readonly '@notewire/storage': typeof import('@notewire/storage')
  readonly '@notewire/webhooks/store': typeof import('@notewire/webhooks/store')
  readonly '@notewire/webhooks/opentelemetry': typeof import('@notewire/webhooks/opentelemetry')
  readonly '@notewire/webhooks/testing': typeof import('@notewire/webhooks/testing')
  readonly '@notewire/mock-server': typeof import('@notewire/mock-server')
  readonly '@notewire/mock-server/program': typeof import('@notewire/mock-server/program')
  readonly '@notewire/mirror': typeof import('@notewire/mirror')
  readonly '@notewire/mirror/sqlite': typeof import('@notewire/mirror/sqlite')
  readonly '@notewire/mirror/postgres': typeof import('@notewire/mirror/postgres')
  readonly '@notewire/mirror/opentelemetry': typeof import('@notewire/mirror/opentelemetry')
}

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFuZCBubyBvdGhlcg'

/** One small real call of each entry. `packed-packages.test.ts` says what each answers. */
export const entryCalls: { readonly [Specifier in keyof Entries]: (entry: Entries[Specifier]) => unknown } = {
  '@notewire/protocol': ({ keyIdOf }) => keyIdOf('ntw_live_k7.s3cret'),

  '@notewire/protocol/schemas': ({ noteSchema }) => noteSchema.parse({ id: 'note_1', revision: 3 }).note_id,

  '@notewire/client': ({ NotesClient }) =>
    serving(
      (_request, response) => response.end('{ "notes": [{ "id": "note_1", "revision": 3 }], "has_more": false }'),
      async (baseUrl) => {
        const client = new NotesClient({ baseUrl, apiKey: 'ntw_live_k7.s3cret' })
        const found: string[] = []
        for await (const note of client.notes.list()) found.push(note.note_id)
        return found
      },
    ),

  '@notewire/client/node-fetch': ({ nodeFetch }) =>
    serving(
      (_request, response) => response.end('read'),
      async (baseUrl) => (await nodeFetch(new Request(baseUrl))).text(),
    ),

  '@notewire/client/opentelemetry': ({ clientTelemetry }) => Object.keys(clientTelemetry()),

  '@notewire/webhooks': async ({ createReceiver }) => {
    const handled: string[] = []
    const receiver = createReceiver({
      secret: SECRET,
      on: { 'note.ended': ({ data }) => void handled.push(data.note_id) },
    })
    const request = new Request('https://receiver.example/', { method: 'POST', ...(await aSignedAttempt()) })
    const { status } = await receiver.fetch(request)
    return [status, handled]
  },

  '@notewire/webhooks/verify': async ({ createVerifier }) => {
    const { body, headers } = await aSignedAttempt()
    const verify = createVerifier({ secret: SECRET })
    return [(await verify(body, headers)).status, (await verify(`${body} `, headers)).status]
  },

  '@notewire/webhooks/node': async ({ nodeHandler }) => {
    const { createReceiver } = await import('@notewire/webhooks')
    const receiver = createReceiver({ secret: SECRET, on: {} })
    return serving(nodeHandler(receiver), statusOfDelivery)
  },

  '@notewire/webhooks/express': async ({ expressHandler }) => {
    const { default: express } = await import('express')
    const { createReceiver } = await import('@notewire/webhooks')
    const receiver = createReceiver({ secret: SECRET, on: {} })
    return serving(express().post('/', expressHandler(receiver)), statusOfDelivery)
  },

  '@notewire/webhooks/fastify': async ({ fastifyPlugin }) => {
    const { fastify } = await import('fastify')
    const { createReceiver } = await import('@notewire/webhooks')
    const app = fastify()
    app.register(fastifyPlugin, { receiver: createReceiver({ secret: SECRET, on: {} }), url: '/' })
    const { headers, body } = await aSignedAttempt()
    const { statusCode } = await app.inject({ method: 'POST', url: '/', headers, payload: body })
    return statusCode
  },

  '@notewire/webhooks/next': async ({ pagesHandler }) => {
    const { createReceiver } = await import('@notewire/webhooks')
    const receiver = createReceiver({ secret: SECRET, on: {} })
    return serving(pagesHandler(receiver), statusOfDelivery)
  },

  '@notewire/webhooks/lambda': async ({ lambdaHandler }) => {
    const { createReceiver } = await import('@notewire/webhooks')
    const receiver = createReceiver({ secret: SECRET, on: {} })
    const event = { ...(await aSignedAttempt()), requestContext: { http: { method: 'POST' } } }
    const { statusCode } = await lambdaHandler(receiver)(event)
    return statusCode
  },

  '@notewire/webhooks/sqlite': async ({ sqliteStore }) => {
    const store = sqliteStore(':memory:')
    await store.migrate()
    const request = { integration: 's', eventId: 'evt_1', gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 } as const
    const first = await store.claim(request)
    if (first.status === 'claimed') await store.commit(first.claim)
    return [first.status, (await store.claim(request)).status]
  },

  '@notewire/webhooks/postgres': async ({ postgresStore }) => {
    const row = { new_fencing_token: null, event_state: 'processed', lease_state: 'free', known_applied: null }
    const store = postgresStore({ query: async () => ({ rows: [row] }) })
    const request = {
      integration: 'default',
      eventId: 'evt_1',
      gate: 'strict',
      leaseMs: 20_000,
      keepMs: 97_200_000,
    } as const
    return (await store.claim(request)).status
  },

  '@notewire/webhooks/redis': async ({ redisStore }) => {
    const store = redisStore({ evalsha: async () => '\n0\n1 0 2 processed\n', eval: async () => undefined })
    const request = {
      integration: 'default',
      eventId: 'evt_1',
      gate: 'strict',
      leaseMs: 20_000,
      keepMs: 97_200_000,
    } as const
    return (await store.claim(request)).status
  },

  '@notewire/storage': async ({ PostgresTimeoutError }) =>
    PostgresTimeoutError === (await import('@notewire/mirror/postgres')).PostgresTimeoutError &&
    PostgresTimeoutError === (await import('@notewire/webhooks/postgres')).PostgresTimeoutError,

  '@notewire/webhooks/store': ({ passRevisionGate }) =>
    passRevisionGate('strict', { kind: 'note.updated', revision: 1 }, { revision: 2, deleted: false, seen: [] }),

  '@notewire/webhooks/opentelemetry': ({ receiverTelemetry }) => Object.keys(receiverTelemetry()).length,

  '@notewire/webhooks/testing': ({ anEvent }) => anEvent({ kind: 'note.deleted', reason: 'access_lost' }).data.reason,

  '@notewire/mock-server': async ({ createNotesService }) => {
    await using service = await createNotesService()
    const response = await service.fetch(new Request('http://notes.example/v1/notes'))
    return response.status
  },

  '@notewire/mock-server/program': async ({ startMockServer }) => {
    const options = { port: 0, host: '127.0.0.1', consoleHosts: [], service: {} }
    await using server = await startMockServer(options)
    return server.record.api_key.length
  },

  '@notewire/mirror': async ({ createMirror }) => {
    const { NotesClient } = await import('@notewire/client')
    const { sqliteMirror } = await import('@notewire/mirror/sqlite')
    const fetch = async () =>
      Response.json({
        notes: [{ id: 'note_1', revision: 3, transcript_status: 'empty', summary_status: 'missing' }],
        has_more: false,
      })
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret', fetch })
    const mirror = createMirror({ client, store: sqliteMirror(':memory:') })
    await mirror.sync()
    return (await mirror.get('note_1'))?.note.revision
  },

  '@notewire/mirror/sqlite': async ({ sqliteMirror }) => {
    const store = sqliteMirror(':memory:')
    await store.migrate()
    return (await store.load('s', ['note_1'])).notes.size
  },

  '@notewire/mirror/postgres': ({ postgresMirror }) =>
    postgresMirror({ query: async () => ({ rows: [{ result: '7' }] }) }).count('s'),

  '@notewire/mirror/opentelemetry': ({ mirrorTelemetry }) => Object.keys(mirrorTelemetry()).length,
}

async function serving<Answer>(
  listener: RequestListener,
  visit: (baseUrl: string) => Promise<Answer>,
): Promise<Answer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function statusOfDelivery(url: string): Promise<number> {
  const { status } = await fetch(url, { method: 'POST', ...(await aSignedAttempt()) })
  return status
}

async function aSignedAttempt() {
  const { anEvent, signAttempt } = await import('@notewire/webhooks/testing')
  return signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_1' }))
}
