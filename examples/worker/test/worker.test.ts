import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import type { MirroredNote } from '@notewire/mirror'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { type Deployment, deploy, type Settings } from './deployment.ts'

const READ_TOKEN = 'a token of the tests'
const NOTES = 150

let persisted: string
let service: NotesService
let client: NotesClient
let settings: Settings
let worker: Deployment

before(async () => {
  persisted = await mkdtemp(join(tmpdir(), 'notes-mirror-'))
  service = await createNotesService({ notes: NOTES })
  const { url } = await service.listen()
  client = new NotesClient({ baseUrl: url, apiKey: service.apiKey })
  settings = { NOTES_BASE_URL: url, NOTES_API_KEY: service.apiKey, READ_TOKEN, REQUESTS_PER_ALARM: '100' }
  worker = await deploy(persisted, settings)
})
after(async () => {
  await worker?.[Symbol.asyncDispose]()
  await service.close()
  await rm(persisted, { recursive: true })
})

it('is started by its cron trigger, and copies all notes with several alarms', async () => {
  await worker.runCron()
  await eventually(async () => (await read('/status')).isBackfilled)
  await eventually(async () => (await read('/status')).notes.unsettled === 0)
  assert.ok(service.requests.length > 2 * NOTES)
  await expectToShowWhatTheServiceHas()
})

it('answers 401 without the token', async () => {
  for (const path of ['/notes', '/search?words=a', '/status', `/notes/${service.owner.notes()[0]?.note_id}`]) {
    assert.equal((await fetch(new URL(path, worker.url))).status, 401)
  }
})

it('answers 503 to deliveries without the secret, and keeps the notes when it is deployed again with the secret', async () => {
  const endpoint = await client.webhookEndpoints.create({
    url: new URL('/webhooks/notes', worker.url).href,
    events: ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'],
  })
  await eventually(async () => service.attempts[0]?.outcome.kind === 'answered')
  assert.deepEqual(service.attempts[0]?.outcome, { kind: 'answered', status: 503 })

  const requests = service.requests.length
  await deployAgain({ NOTES_SIGNING_SECRET: endpoint.signing_secret ?? '' })
  assert.equal((await read('/status')).notes.live, NOTES)
  assert.equal(service.requests.length, requests)

  await client.webhookEndpoints.update(endpoint.endpoint_id, { url: endpoint.url ?? '' })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id, { timeoutMs: 60_000 })
})

it('shows a new note, and finds it by its words, without a poll', async () => {
  const { polledAt } = await read('/status')
  const note = service.owner.record({ title: 'Zephyr' }).end({ summary: false })
  await eventually(async () => (await show(note.note_id))?.isSettled)
  const found: readonly MirroredNote[] = await read('/search?words=zephyr')
  assert.deepEqual(
    found.map((each) => each.note.note_id),
    [note.note_id],
  )
  assert.equal((await read('/status')).polledAt, polledAt)
})

it('hides a deleted note before it acknowledges the event, and erases it', async () => {
  const [note] = service.owner.notes()
  note?.delete()
  await eventually(async () => service.deliveries.at(-1)?.status === 'delivered')
  assert.equal(await show(note?.note_id), undefined)
  await eventually(async () => (await read('/status')).notes.gone === 1)
})

it('sends a message for each change, and one for a removal', async () => {
  const [note] = service.owner.notes()
  note?.edit({ title: 'Sirocco' })
  await eventually(async () => (await show(note?.note_id))?.note.title === 'Sirocco')
  await eventually(async () => kindsOf(note?.note_id).at(-1) === 'content')
  note?.delete()
  await eventually(async () => kindsOf(note?.note_id).at(-1) === 'removed')
  await eventually(async () => (await read('/status')).notes.gone === 2)
  assert.equal(kindsOf(note?.note_id).filter((kind) => kind === 'removed').length, 1)
})

it('wakes no object for a forged delivery', async () => {
  const { position } = await read('/status')
  const response = await fetch(new URL('/webhooks/notes', worker.url), { method: 'POST', body: '{}' })
  assert.equal(response.status, 401)
  assert.equal((await read('/status')).position, position)
})

it('finds an unannounced deletion with its full listing', async () => {
  using lost = service.faults.inject({ delivery: 'note.deleted', fault: { kind: 'lost' } })
  const [note] = service.owner.notes()
  note?.delete()
  await eventually(async () => lost.struck === 1)
  assert.notEqual(await show(note?.note_id), undefined)

  // In production, a full listing runs once a day.
  await deployAgain({ POLL_EVERY_SECONDS: '1', FULL_LISTING_EVERY_SECONDS: '1' })
  await worker.runCron()
  await eventually(async () => (await show(note?.note_id)) === undefined)
  await expectToShowWhatTheServiceHas()
})

function kindsOf(noteId = ''): readonly string[] {
  return worker.messages.filter((message) => message.noteId === noteId).map(({ kind }) => kind)
}

async function deployAgain(more: Settings): Promise<void> {
  const { port } = worker.url
  await worker[Symbol.asyncDispose]()
  settings = { ...settings, ...more }
  worker = await deploy(persisted, settings, Number(port))
}

async function ask(path: string): Promise<Response> {
  return await fetch(new URL(path, worker.url), { headers: { authorization: `Bearer ${READ_TOKEN}` } })
}

async function read(path: string) {
  const response = await ask(path)
  assert.equal(response.status, 200, path)
  return await response.json()
}

async function show(noteId = '') {
  const response = await ask(`/notes/${noteId}`)
  return response.status === 404 ? undefined : await response.json()
}

/** Compares every note, field by field, transcript and summary included. */
async function expectToShowWhatTheServiceHas(): Promise<void> {
  const there: object[] = []
  for await (const { note, transcript, summary } of client.notes.listWithContent({ limit: 100 })) {
    there.push({
      note,
      transcript: transcript.status === 'ready' ? transcript.transcript : null,
      summary: summary.status === 'ready' ? summary.summary : null,
      isSettled: true,
    })
  }
  const here: object[] = []
  for (let page = await read('/notes'); page.length > 0; page = await read(`/notes?after=${page.at(-1).note_id}`)) {
    for (const { note_id } of page) here.push(await show(note_id))
  }
  assert.deepEqual(new Set(here), new Set(there))
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 60_000; !(await check()); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, 'it has not happened within 60 s')
  }
}
