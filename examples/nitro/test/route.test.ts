import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { after, before, it } from 'node:test'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { type BuiltServer, build, start } from './built-server.ts'

const SECRET = 'whsec_YS1zZWNyZXQtZm9yLW5pdHJvLW9mLTMyLWJ5dGVzLi4'

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

// Nitro itself answers if no file is named after the method.
it('rejects other methods', async () => {
  assert.equal(await statusOf({ method: 'GET' }), 404)
  assert.equal(await statusOf({ method: 'HEAD' }), 404)
})

async function statusOf(request: RequestInit): Promise<number> {
  const { status } = await fetch(`${server.url}/webhooks/notes`, { method: 'POST', ...request })
  return status
}
