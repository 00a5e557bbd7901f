import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { SILENT } from '../../fixtures/silent-logger.ts'
import { createMirror } from '../index.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'

it('the requests for announced content end if the request for the record fails', async () => {
  await using service = await createNotesService({ notes: 1 })
  const ended: string[] = []
  let isRefusing = false
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (!isRefusing) return await service.fetch(request)
    if (!/\/(transcript|summary)$/.test(pathname)) return new Response(null, { status: 401 })
    return await new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => {
        ended.push(pathname)
        reject(request.signal.reason)
      })
    })
  }
  const { baseUrl, apiKey, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  const mirror = createMirror({ client, store: memoryMirror({ clock }), logger: SILENT })
  await mirror.sync()
  const note = service.owner.notes()[0]
  const noteId = note?.note_id ?? ''
  const event = anEvent({ kind: 'note.updated', noteId, revision: (note?.revision ?? 0) + 1 })
  const signed = await signAttempt(SECRET, JSON.stringify(event), { signedAt: clock.now() })
  const bytes = new TextEncoder().encode(signed.body)
  const readBody = async () => ({ status: 'read', bytes }) as const
  const receiver = mirror.receiver({ secret: SECRET, clock, logger: SILENT })
  await receiver.respond({ method: 'POST', path: '/', headers: signed.headers, readBody })

  isRefusing = true
  const began = performance.now()
  await expect(mirror.settle()).rejects.toMatchObject({ code: 'unauthorized' })
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(ended.sort()).toEqual([`/v1/notes/${noteId}/summary`, `/v1/notes/${noteId}/transcript`])
})
