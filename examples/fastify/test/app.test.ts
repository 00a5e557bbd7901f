import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { app } from '../src/app.ts'

let service: NotesService
let address: string

before(async () => {
  address = await app.listen({ host: '127.0.0.1', port: 0 })
  service = await createNotesService({ clock: 'real' })
  await service.connect((secret) => {
    process.env['NOTES_SIGNING_SECRET'] = secret
    return deliver
  })
})

after(async () => {
  await service.close()
  await app.close()
})

it('lists a note that has ended and changed, until it is read', async () => {
  const note = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
  await service.settled()
  const [[noteId, revision] = []] = Object.entries(await unread())
  assert.equal(noteId, note.note_id)

  note.edit({ title: 'Stand-up, Monday' })
  await service.settled()
  assert.ok(Number((await unread())[note.note_id]) > Number(revision))

  const response = await fetch(`${address}/read`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ note_id: note.note_id }),
  })
  assert.equal(response.status, 204)
  assert.deepEqual(await unread(), {})
})

it('does not list a deleted note', async () => {
  const note = service.owner.record({ title: 'Review' }).end({ summary: false })
  await service.settled()
  assert.deepEqual(Object.keys(await unread()), [note.note_id])

  note.delete()
  await service.settled()
  assert.deepEqual(await unread(), {})
})

it('rejects an unsigned request', async () => {
  const response = await fetch(`${address}/webhooks/notes`, { method: 'POST', body: '{}' })
  assert.equal(response.status, 401)
})

it('rejects other methods at the URL of the webhook', async () => {
  assert.equal((await fetch(`${address}/webhooks/notes`)).status, 404)
  assert.equal((await fetch(`${address}/webhooks/notes`, { method: 'HEAD' })).status, 404)
})

async function deliver(request: Request): Promise<Response> {
  return fetch(`${address}/webhooks/notes`, {
    method: request.method,
    headers: request.headers,
    body: await request.arrayBuffer(),
  })
}

async function unread(): Promise<Record<string, number>> {
  const response = await fetch(`${address}/unread`)
  return (await response.json()) as Record<string, number>
}
