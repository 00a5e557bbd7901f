import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { build, type NextServer, start } from './next-server.ts'

const APP_ROUTER = '/webhooks/notes'
const EDGE_RUNTIME = '/webhooks/edge'
const PAGES_ROUTER = '/api/webhooks/notes'
const WITHOUT_CONFIG = '/api/webhooks/without-config'
const ROUTES = [APP_ROUTER, EDGE_RUNTIME, PAGES_ROUTER]

let service: NotesService
let server: NextServer
let secret: string
let built: string

before(async () => {
  built = await build()
  service = await createNotesService({ clock: 'real' })
  // Each endpoint has its own secret. The application starts when all secrets are known, and the service waits for its answers.
  const secrets: string[] = []
  const started = Promise.withResolvers<NextServer>()
  const connections = ROUTES.map((route) =>
    service.connect((each) => {
      secrets.push(each)
      if (secrets.length === ROUTES.length)
        start({ NOTES_SIGNING_SECRET: secrets.join() }).then(started.resolve, started.reject)
      return async (request) => forward(request, `${(await started.promise).url}${route}`)
    }),
  )
  server = await started.promise
  // On a busy machine, the first answer of a route can come too late. The service then verifies it again after 30 s.
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  for (const { endpoint_id } of await Promise.all(connections)) {
    await client.webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs: 90_000 })
  }
  secret = secrets[0] ?? ''
})

after(async () => {
  await service.close()
  await server.stop()
})

it('builds for the edge runtime without a warning about an API of Node.js', () => {
  assert.doesNotMatch(built, /not supported in the Edge Runtime/)
})

it('every route accepts the deliveries of the service', { timeout: 120_000 }, async () => {
  const note = service.owner.record({ title: 'Besprechung über Größe' }).end({ summary: false })
  await service.settled()
  const answers = service.attempts.filter(({ event_type }) => event_type === 'note.ended').map(({ outcome }) => outcome)
  assert.deepEqual(answers, Array(3).fill({ kind: 'answered', status: 204 }))
  await server.printed(new RegExp(`(${note.note_id} has ended[^]*){3}`))
})

for (const route of ROUTES) {
  describe(route, () => {
    it('accepts a body that is not ASCII, in chunks', async () => {
      const { headers, body } = await signAttempt(secret, anEvent({ kind: 'note.updated', noteId: `nöte-🎻-${route}` }))
      const request = httpRequest(`${server.url}${route}`, { method: 'POST', headers })
      for (const byte of Buffer.from(body)) request.write(Uint8Array.of(byte))
      request.end()
      const [response] = await once(request, 'response')
      assert.equal(response.statusCode, 204)
      await server.printed(new RegExp(`nöte-🎻-${route} is at revision 1`))
    })

    it('rejects an unsigned request', async () => {
      assert.equal(await statusOf(route, { body: '{}' }), 401)
    })

    it('rejects a compressed body', async () => {
      const { headers, body } = await signAttempt(secret, anEvent({ kind: 'note.updated' }))
      assert.equal(await statusOf(route, { headers: { ...headers, 'content-encoding': 'gzip' }, body }), 415)
    })

    it('accepts 256 KiB and rejects more', async () => {
      const event = JSON.stringify(anEvent({ kind: 'endpoint.test' }))
      assert.equal(await statusOf(route, await signAttempt(secret, event.padEnd(256 * 1024))), 204)
      assert.equal(await statusOf(route, await signAttempt(secret, event.padEnd(256 * 1024 + 1))), 413)
    })

    // Next itself answers if a route of the app router does not export the method.
    it('rejects other methods', async () => {
      const expected = route === PAGES_ROUTER ? 404 : 405
      assert.equal(await statusOf(route, { method: 'GET' }), expected)
      assert.equal(await statusOf(route, { method: 'HEAD' }), expected)
    })
  })
}

describe('a pages route that does not disable the body parser', () => {
  it('answers 500 at once, and the log names the fix', async () => {
    const attempt = await signAttempt(secret, anEvent({ kind: 'note.updated' }))
    assert.equal(await statusOf(WITHOUT_CONFIG, { ...attempt, signal: AbortSignal.timeout(60_000) }), 500)
    await server.printed(/Add "export const config = \{ api: \{ bodyParser: false \} \}" to the file/)
  })
})

describe('the mock server in a preview deployment', () => {
  it('serves the API and sends events to the receiver', async () => {
    const apiKey = `ntw_live_preview.${randomBytes(32).toString('hex')}`
    const preview = await start({ NOTES_MOCK_SEED: '7', NOTES_API_KEY: apiKey })
    const client = new NotesClient({ baseUrl: `${preview.url}/mock`, apiKey })
    assert.equal((await Array.fromAsync(client.notes.list())).length, 20)

    const record = (key: string) =>
      fetch(`${preview.url}/mock/record`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
    assert.equal((await record('wrong')).status, 401)
    await preview.printed(new RegExp(`${await (await record(apiKey)).json()} has ended`))
    // After SIGTERM, Next would wait for the summary of the note.
    await preview.stop('SIGKILL')
  })

  it('is not there without NOTES_MOCK_SEED', async () => {
    const headers = { authorization: 'Bearer ntw_live_preview.key' }
    assert.equal(await statusOf('/mock/v1/notes', { method: 'GET', headers }), 404)
  })
})

async function statusOf(route: string, request: RequestInit): Promise<number> {
  const { status } = await fetch(`${server.url}${route}`, { method: 'POST', ...request })
  return status
}

async function forward(request: Request, url: string): Promise<Response> {
  return fetch(url, { method: request.method, headers: request.headers, body: await request.arrayBuffer() })
}
