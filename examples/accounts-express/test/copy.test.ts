import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { freePort, openPool, type Postgres, startPostgres } from 'notewire-test-servers'
import type { Pool } from 'pg'

const FOLDER = join(import.meta.dirname, '..')
const EVENTS = ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'] as const

let postgres: Postgres
let pool: Pool
let service: NotesService
let receiver: ChildProcess

before(async () => {
  postgres = await startPostgres()
  pool = openPool(postgres.url)
  await pool.query(await readFile(join(FOLDER, 'copy.sql'), 'utf8'))
  service = await createNotesService({ owners: ['acme', 'globex'], disorder: { duplicated: 0.5 } })
  // Over a network, the first delivery arrives after the response with the secret.
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '2s' } })
  const { url: notesUrl } = await service.listen()
  const port = await freePort()
  const env = { ...process.env, DATABASE_URL: postgres.url, NOTES_BASE_URL: notesUrl, PORT: String(port) }
  receiver = spawn(process.execPath, [...process.execArgv, 'src/copy.ts'], { cwd: FOLDER, env, stdio: 'pipe' })
  if (receiver.stdout !== null) await once(receiver.stdout, 'data')
  for (const { name, apiKey } of service.owners) {
    const { webhookEndpoints } = new NotesClient({ baseUrl: service.baseUrl, apiKey })
    await pool.query('INSERT INTO accounts VALUES ($1, $2)', [name, apiKey])
    const url = `http://127.0.0.1:${port}/webhooks/notes/${name}`
    const { endpoint_id, signing_secret } = await webhookEndpoints.create({ url, events: EVENTS })
    await pool.query('UPDATE accounts SET signing_secret = $2 WHERE id = $1', [name, signing_secret])
    await webhookEndpoints.waitUntilActive(endpoint_id)
  }
})
after(async () => {
  receiver?.kill('SIGKILL')
  await service?.close()
  await pool?.end()
  await postgres?.stop()
})

it('keeps the notes of each account with their transcripts, also if deliveries are duplicated', async () => {
  for (const owner of service.owners) owner.record({ title: `Stand-up of ${owner.name}` }).end()
  await eventually(async () => (await copies()).length === 2)
  const rows = await copies()
  assert.deepEqual(
    rows.map(({ account_id, title }) => [account_id, title]),
    [
      ['acme', 'Stand-up of acme'],
      ['globex', 'Stand-up of globex'],
    ],
  )
  for (const { transcript } of rows) assert.ok(transcript.length > 100)
})

it('writes a change, and deletes a note that was deleted, in its account alone', async () => {
  const note = service.owner.notes()[0]
  note?.edit({ title: 'Retrospective' })
  await eventually(async () => (await copies())[0]?.title === 'Retrospective')
  note?.delete()
  await eventually(async () => (await copies()).length === 1)
  assert.equal((await copies())[0]?.account_id, 'globex')
})

it('answers 401 to a delivery without a signature', async () => {
  const [attempt] = service.attempts
  const { status } = await fetch(attempt?.url ?? '', { method: 'POST', body: '{}' })
  assert.equal(status, 401)
})

async function copies(): Promise<readonly { account_id: string; title: string; transcript: string }[]> {
  return (await pool.query('SELECT account_id, title, transcript FROM notes ORDER BY account_id')).rows
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await sleep(50)) {
    assert.ok(Date.now() < end, 'it did not happen within a minute')
  }
}
