import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { after, before, it } from 'node:test'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { type BuiltServer, build, start } from './built-server.ts'

const SECRET = 'whsec_YS1zZWNyZXQtZm9yLXN2ZWx0ZWtpdC0zMi1ieXRlcyE'

let server: BuiltServer
before(async () => {
  await build()
  server = await start({ NOTES_SIGNING_SECRET: SECRET })
})
after(() => server.stop())

it('handles a delivery once if it is sent twice', async () => {
  const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_1' }))
  assert.equal(await statusOf(attempt), 204)
  assert.equal(await statusOf(attempt), 204)
  assert.equal(await statusOf(await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_2' }))), 204)
  const output = await server.printed(/note_2 has ended/)
  assert.equal(output.match(/note_1 has ended/g)?.length, 1)
})

it('accepts a body that is not ASCII, in chunks', async () => {
  const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'nöte-🎻' }))
  const request = httpRequest(`${server.url}/webhooks/notes`, { method: 'POST', headers })
  for (const byte of Buffer.from(body)) request.write(Uint8Array.of(byte))
  request.end()
  const [response] = await once(request, 'response')
  assert.equal(response.statusCode, 204)
  await server.printed(/nöte-🎻 has ended/)
})

it('rejects a changed body', async () => {
  const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_3' }))
  assert.equal(await statusOf({ headers, body: body.replace('note_3', 'note_4') }), 401)
})

it('accepts 256 KiB and rejects more', async () => {
  const event = JSON.stringify(anEvent({ kind: 'endpoint.test' }))
  assert.equal(await statusOf(await signAttempt(SECRET, event.padEnd(256 * 1024))), 204)
  assert.equal(await statusOf(await signAttempt(SECRET, event.padEnd(300 * 1024))), 413)
})

// SvelteKit itself answers if the route does not export the method.
it('rejects other methods', async () => {
  assert.equal(await statusOf({ method: 'GET' }), 405)
  assert.equal(await statusOf({ method: 'HEAD' }), 405)
})

it('is protected by the CSRF check of SvelteKit, which accepts deliveries', async () => {
  const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended' }))
  assert.equal(await statusOf({ headers: { ...headers, 'content-type': 'text/plain' }, body }), 403)
  assert.equal(await statusOf({ headers, body }), 204)
})

it('rejects a body over a BODY_SIZE_LIMIT below 256 KiB', async () => {
  const limited = await start({ NOTES_SIGNING_SECRET: SECRET, BODY_SIZE_LIMIT: '64K' })
  const event = JSON.stringify(anEvent({ kind: 'endpoint.test' }))
  assert.equal(await statusOf(await signAttempt(SECRET, event.padEnd(64 * 1024)), limited), 204)
  assert.equal(await statusOf(await signAttempt(SECRET, event.padEnd(65 * 1024)), limited), 400)
  await limited.stop()
})

async function statusOf(request: RequestInit, { url } = server): Promise<number> {
  const { status } = await fetch(`${url}/webhooks/notes`, { method: 'POST', ...request })
  return status
}
