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
let settings: Readonly<Record<string, string>>
let server: ChildProcess
let printed = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notes-mirror-'))
  service = await createNotesService({ notes: 30 })
  const { url } = await service.listen()
  const client = new NotesClient({ baseUrl: url, apiKey: service.apiKey })
  const port = await freePort()
  const endpoint = await client.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/webhooks/notes`,
    events: ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'],
  })
  settings = {
    NOTES_BASE_URL: url,
    NOTES_API_KEY: service.apiKey,
    NOTES_SIGNING_SECRET: endpoint.signing_secret ?? '',
    NOTES_DATABASE: join(folder, 'notes.db'),
    PORT: String(port),
  }
  server = start()
  server.stdout?.on('data', (text) => (printed += text))
  await eventually(async () => (await read('/status'))?.isBackfilled)
  // The first verification was sent before the server listened. When the URL is set again, the service sends another.
  await client.webhookEndpoints.update(endpoint.endpoint_id, { url: endpoint.url ?? '' })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id, { timeoutMs: 60_000 })
})
after(async () => {
  await end(server, 'SIGKILL')
  await service.close()
  await rm(folder, { recursive: true })
})

it('prints the port at which it listens', () => {
  assert.equal(printed, `listening on port ${settings['PORT']}\n`)
})

it('has all notes, with transcript and summary', async () => {
  await eventually(async () => (await read('/status')).notes.unsettled === 0)
  const [note] = service.owner.notes()
  const { transcript, summary, isSettled } = await read(`/notes/${note?.note_id}`)
  assert.ok(isSettled)
  assert.match(transcript.text, /\S/)
  assert.match(summary.markdown, /\S/)
})

it('shows a new note, and finds it by its words', async () => {
  const note = service.owner.record({ title: 'Zephyr' }).end({ summary: false })
  await eventually(async () => (await read(`/notes/${note.note_id}`))?.isSettled)
  assert.deepEqual(await read('/search?words=zephyr'), [{ note_id: note.note_id, title: 'Zephyr' }])
})

it('does not show a deleted note after the event was acknowledged', async () => {
  const [note] = service.owner.notes()
  note?.delete()
  await eventually(async () => service.deliveries.at(-1)?.status === 'delivered')
  assert.equal(await read(`/notes/${note?.note_id}`), undefined)
})

it('has all notes after it was killed', async () => {
  await eventually(async () => (await read('/status')).notes.dirty === 0)
  await end(server, 'SIGKILL')
  server = start()
  await eventually(async () => (await read('/status'))?.notes.live === 30)
  assert.equal((await read('/search?words=zephyr')).length, 1)
})

it('continues to serve notes and to hide deleted ones while the service rejects the key', async () => {
  service.faults.inject({ request: 'GET /v1/notes/*', fault: { kind: 'status', status: 403 } })
  const [note, other] = service.owner.notes()
  note?.edit({ title: 'Edited' })
  await eventually(async () => (await read('/status')).notes.dirty === 1)
  await sleep(500)
  other?.delete()
  await eventually(async () => (await read(`/notes/${other?.note_id}`)) === undefined)
  assert.equal((await read('/search?words=zephyr')).length, 1)
})

it('ends with 0 after SIGTERM', async () => {
  assert.equal(await end(server, 'SIGTERM'), 0)
})

function start(): ChildProcess {
  const path = join(import.meta.dirname, '../src/server.ts')
  return spawn(process.execPath, [...process.execArgv, path], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill(signal)
  return (await ended)[0]
}

/** The answer of a route; `undefined` for an error, and while the server does not listen. */
async function read(path: string) {
  const response = await fetch(`http://127.0.0.1:${settings['PORT']}${path}`).catch(() => undefined)
  return response?.ok ? await response.json() : undefined
}

async function eventually(check: () => Promise<boolean | undefined>): Promise<void> {
  for (const giveUpAt = Date.now() + 60_000; !(await check()); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, 'it has not happened within 60 s')
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
