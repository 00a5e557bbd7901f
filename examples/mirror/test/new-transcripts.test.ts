import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { openMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { createNotesService } from '@notewire/mock-server'

const MEETINGS = 6

interface Access {
  readonly apiKey: string
  readonly signingSecret: string
}

/** Starts a program with a service that has notes already, and restarts it after SIGKILL. */
async function start(
  test: TestContext,
  file: string,
  path: string,
  settings: (access: Access) => Record<string, string>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'new-transcripts-'))
  const service = await createNotesService({ notes: 10 })
  const { url: baseUrl } = await service.listen()
  const { apiKey } = service
  const client = new NotesClient({ baseUrl, apiKey })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}${path}`
  const endpoint = await client.webhookEndpoints.create({ url, events: ['note.ended', 'note.summary.generated'] })
  const database = join(folder, 'notes.db')
  const access = { apiKey, signingSecret: endpoint.signing_secret ?? '' }
  const own = { NOTES_BASE_URL: baseUrl, NOTES_DATABASE: database, PORT: String(port), ...settings(access) }
  const env = { ...process.env, ...own }
  const program = join(import.meta.dirname, '../src', file)
  const spawned = () => spawn(process.execPath, [...process.execArgv, program], { env, stdio: 'ignore' })
  let running: ChildProcess = spawned()
  const kill = async () => {
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }
  test.after(async () => {
    await kill()
    await service.close()
    await rm(folder, { recursive: true })
  })
  return {
    service,
    database,
    async activate() {
      await client.webhookEndpoints.update(endpoint.endpoint_id, { url })
      await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id, { timeoutMs: 60_000 })
    },
    async restart() {
      await kill()
      running = spawned()
    },
  }
}

/** Records meetings while the program is killed and started again. */
async function recordMeetings({ service, restart }: Awaited<ReturnType<typeof start>>): Promise<Map<string, string>> {
  const sessions = new Map<string, string>()
  for (let meeting = 0; meeting < MEETINGS; meeting += 1) {
    const recording = service.owner.record({ title: `Meeting ${meeting}` })
    const note = recording.end()
    sessions.set(note.note_id, recording.recording_session_id)
    await sleep(Math.random() * 300)
    await restart()
  }
  return sessions
}

/** Waits until the first listing has ended and the consumer has started. */
async function isReady(database: string, integration: string): Promise<boolean> {
  const store = sqliteMirror(database)
  try {
    const mirror = openMirror({ store, integration })
    const { isBackfilled, notes } = await mirror.status()
    return isBackfilled && notes.unsettled === 0 && (await mirror.consumerStatus('new-transcripts')).lag === 0
  } finally {
    await store.close?.()
  }
}

describe('new transcripts', { concurrency: true }, () => {
  it('writes each new transcript into a table exactly once, whenever the process dies', {
    timeout: 120_000,
  }, async (test) => {
    const program = await start(test, 'new-transcripts.ts', '/webhooks/notes', ({ apiKey, signingSecret }) => ({
      NOTES_API_KEY: apiKey,
      NOTES_SIGNING_SECRET: signingSecret,
    }))
    await eventually(() => isReady(program.database, 'default'))
    await program.activate()
    const table = new DatabaseSync(program.database, { timeout: 1_000 })
    table.exec(`CREATE TABLE doubled (note_id TEXT);
      CREATE TRIGGER transcript_doubled AFTER UPDATE ON transcripts BEGIN INSERT INTO doubled VALUES (new.note_id); END`)
    const meetings = await recordMeetings(program)
    const rows = () => table.prepare('SELECT note_id, text FROM transcripts').all()
    await eventually(async () => rows().length >= MEETINGS)
    await sleep(500)
    assert.deepEqual(new Set(rows().map((row) => row['note_id'])), new Set(meetings.keys()))
    assert.equal(rows().length, MEETINGS)
    assert.deepEqual(table.prepare('SELECT note_id FROM doubled').all(), [])
    for (const { text } of rows()) assert.match(String(text), /\S/)
    table.close()
  })

  it('sends each new transcript of an account with one idempotency key, whenever the process dies', {
    timeout: 120_000,
  }, async (test) => {
    const received = new Map<string, { noteId: string; text: string }>()
    let failures = 3
    const target = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      failures -= 1
      if (failures < 0)
        received.set(String(request.headers['idempotency-key']), JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(failures < 0 ? 204 : 500).end()
    }).listen(0, '127.0.0.1')
    test.after(() => target.close())
    await once(target, 'listening')
    const program = await start(test, 'new-transcripts-of-accounts.ts', '/webhooks/notes/acme', (access) => ({
      ACCOUNTS: JSON.stringify({ acme: access }),
      TRANSCRIPTS_URL: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
    }))
    await eventually(() => isReady(program.database, 'acme'))
    await program.activate()
    const meetings = await recordMeetings(program)
    await eventually(async () => received.size >= MEETINGS)
    await sleep(500)
    const noteIds = Array.from(received.values(), ({ noteId }) => noteId)
    assert.deepEqual(new Set(noteIds), new Set(meetings.keys()))
    assert.equal(received.size, MEETINGS)
  })

  it('ends with an error that names the variables if one is missing', async () => {
    const program = join(import.meta.dirname, '../src/new-transcripts-of-accounts.ts')
    const env = {
      ...process.env,
      ACCOUNTS: '',
      NOTES_BASE_URL: 'http://127.0.0.1:9',
      TRANSCRIPTS_URL: 'http://127.0.0.1:9',
    }
    const child = spawn(process.execPath, [...process.execArgv, program], { env })
    let errors = ''
    child.stderr.on('data', (text) => (errors += text))
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
    assert.match(errors, /Set NOTES_BASE_URL, TRANSCRIPTS_URL, and ACCOUNTS/)
  })
})

async function eventually(check: () => Promise<boolean | undefined>): Promise<void> {
  for (const giveUpAt = Date.now() + 60_000; !(await check().catch(() => false)); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, 'it has not happened within 60 s')
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}
