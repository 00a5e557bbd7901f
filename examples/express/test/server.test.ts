import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'

let folder: string
let service: NotesService
let server: ChildProcess
let url: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-express-'))
  service = await createNotesService()
  const { url: baseUrl } = await service.listen()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const client = new NotesClient({ baseUrl, apiKey: service.apiKey })
  const endpoint = await client.webhookEndpoints.create({
    url: `${url}/webhooks/notes`,
    events: ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'],
  })
  const env = {
    ...process.env,
    PORT: String(port),
    NOTES_BASE_URL: baseUrl,
    NOTES_API_KEY: service.apiKey,
    NOTES_SIGNING_SECRET: endpoint.signing_secret,
  }
  const program = join(import.meta.dirname, '../src/server.ts')
  server = spawn(process.execPath, [...process.execArgv, program], { cwd: folder, env, stdio: 'pipe' })
  if (server.stdout !== null) await once(server.stdout, 'data')
  // The first verification arrived before the server listened. When the URL is set again, the service sends another.
  await client.webhookEndpoints.update(endpoint.endpoint_id, { url: endpoint.url ?? '' })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id)
})

after(async () => {
  server?.kill('SIGTERM')
  if (server !== undefined) await once(server, 'close')
  await service?.close()
  await rm(folder, { recursive: true })
})

it('keeps a note with its transcript, updates its title, and removes it when it is deleted', async () => {
  const note = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
  const [copied] = await eventually((notes) => notes.length === 1)
  assert.equal(copied?.title, 'Stand-up')
  assert.equal(copied?.transcript_status, 'ready')
  assert.ok((copied?.transcript?.length ?? 0) > 100)

  note.edit({ title: 'Stand-up, Monday' })
  await eventually(([first]) => first?.title === 'Stand-up, Monday')

  note.delete()
  await eventually((notes) => notes.length === 0)
})

it('answers 401 to an unsigned request', async () => {
  const response = await fetch(`${url}/webhooks/notes`, { method: 'POST', body: '{}' })
  assert.equal(response.status, 401)
})

interface Copied {
  readonly title: string | null
  readonly transcript_status: string
  readonly transcript: string | null
}

async function eventually(isSo: (notes: readonly Copied[]) => boolean): Promise<readonly Copied[]> {
  for (const end = Date.now() + 60_000; ; await sleep(50)) {
    const notes: readonly Copied[] = await (await fetch(`${url}/notes`)).json()
    if (isSo(notes)) return notes
    assert.ok(Date.now() < end, 'it did not happen within a minute')
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
