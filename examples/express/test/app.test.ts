import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { app } from '../src/app.ts'
import { archive } from '../src/archive.ts'

const server = app.listen(0, '127.0.0.1')
let service: NotesService

before(async () => {
  await once(server, 'listening')
  service = await createNotesService()
  const { url } = await service.listen()
  process.env['NOTES_BASE_URL'] = url
  process.env['NOTES_API_KEY'] = service.apiKey

  const client = new NotesClient({ baseUrl: url, apiKey: service.apiKey })
  const { port } = server.address() as AddressInfo
  const endpoint = await client.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/webhooks/notes`,
    events: ['note.ended', 'note.updated', 'note.deleted'],
  })
  process.env['NOTES_SIGNING_SECRET'] = endpoint.signing_secret
  // The first verification may have arrived before the line above. When the URL is set again, the service sends another.
  await client.webhookEndpoints.update(endpoint.endpoint_id, { url: endpoint.url ?? '' })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id, { timeoutMs: 60_000 })
})

after(async () => {
  await service.close()
  server.close()
})

it('stores a note that has ended, updates its title, and removes it when it is deleted', async () => {
  const note = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
  await service.settled()
  assert.equal(archive.notes.get(note.note_id)?.title, 'Stand-up')

  note.edit({ title: 'Stand-up, Monday' })
  await service.settled()
  assert.equal(archive.notes.get(note.note_id)?.title, 'Stand-up, Monday')

  note.delete()
  await service.settled()
  assert.equal(archive.notes.has(note.note_id), false)
})

it('rejects an unsigned request', async () => {
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/notes`, { method: 'POST', body: '{}' })
  assert.equal(response.status, 401)
})
