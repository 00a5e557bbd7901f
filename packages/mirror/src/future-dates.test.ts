import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { expect, it } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { createMirror } from './index.ts'

const FUTURE = '2099-01-01T00:00:00Z'

it.each([
  ['one response has the date 2099', { date: new Date(FUTURE).toUTCString() }, false],
  ['a note is dated in 2099 and no response has a date', {}, true],
])('a poll finds a change after a time in the future: %s', async (_, wrong: { date?: string }, dateNotes) => {
  await using service = await createNotesService({ notes: 2 })
  let headers: { date?: string } = wrong
  const fetch = async (request: Request) => {
    const response = await service.fetch(request)
    const body = await response.text()
    const isList = new URL(request.url).pathname === '/v1/notes'
    const dated = dateNotes && isList ? body.replace(/"updated_at":"[^"]*"/, `"updated_at":"${FUTURE}"`) : body
    return new Response(dated, { status: response.status, headers })
  }
  const { baseUrl, apiKey, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const mirror = createMirror({ client, store: memoryMirror({ clock }), logger: SILENT })
  await mirror.sync({ fullListing: 'never' })
  expect((await mirror.status()).watermark?.getTime() ?? 0).toBeLessThanOrEqual(clock.now())

  headers = {}
  const note = service.owner.notes()[1]
  note?.edit({ title: 'changed later' })
  await service.clock.advance('1h')
  await mirror.sync({ fullListing: 'never' })
  expect((await mirror.get(note?.note_id ?? ''))?.note.title).toBe('changed later')
})
