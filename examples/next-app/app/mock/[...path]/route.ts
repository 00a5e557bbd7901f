import { createNotesService, type NotesService } from '@notewire/mock-server'
import { after } from 'next/server'
import { receiver } from '../../../lib/receiver.ts'

let service: Promise<NotesService> | undefined

async function answer(request: Request): Promise<Response> {
  // Set NOTES_MOCK_SEED in preview deployments, and never in production.
  const seed = process.env['NOTES_MOCK_SEED']
  const key = process.env['NOTES_API_KEY']
  if (seed === undefined || key === undefined) return new Response(null, { status: 404 })
  // Every instance of the deployment has a mock service with another key, so all of them accept the key of the application instead.
  if (request.headers.get('authorization') !== `Bearer ${key}`) return new Response(null, { status: 401 })
  service ??= startService(Number(seed))
  const { fetch, settled, owner, apiKey } = await service
  // Keeps the instance alive while webhooks are pending.
  after(settled)

  const { pathname } = new URL(request.url)
  if (pathname === '/mock/record') {
    return Response.json(owner.record({ title: 'Stand-up' }).end().note_id)
  }
  const forwarded = new Request(request.url.replace('/mock/', '/'), request)
  forwarded.headers.set('authorization', `Bearer ${apiKey}`)
  return fetch(forwarded)
}

async function startService(seed: number): Promise<NotesService> {
  const service = await createNotesService({ seed, notes: 20, clock: 'real' })
  await service.connect((secret) => {
    process.env['NOTES_SIGNING_SECRET'] = secret
    return receiver.fetch
  })
  return service
}

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST }
