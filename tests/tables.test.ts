import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMirror, type Mirror, type MirrorStore } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import type { Clock } from '@notewire/protocol'
import type { ReceiverStore } from '@notewire/webhooks'
import { postgresStore } from '@notewire/webhooks/postgres'
import { redisStore } from '@notewire/webhooks/redis'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isInstalled, startRedis, temporaryPath } from './servers/index.ts'
import { startDatabases, type TestDatabases } from './servers/test-databases.ts'
import { type FrozenMirror, type FrozenMirrors, freezeTables } from './tables/freeze.ts'
import type { KeptNote } from './tables/kept-notes.ts'
import { allOf, readMirror } from './tables/mirror-reads.ts'
import { aNote, clientOf } from './tables/mirror-story.ts'
import { type Answered, ask } from './tables/receiver-story.ts'
import { connectRedis, type FrozenKey, restoreRedis } from './tables/redis-keys.ts'
import { restoreSqlite } from './tables/sqlite-tables.ts'

// Databases of earlier releases, written by `npm run tables:freeze`. This version must be able to use all of them.
/** Without this, due times would follow the clock of the server, and not that of the test. */
const FOLLOW_THE_CALLER = `CREATE OR REPLACE FUNCTION notewire_integrations_now_1(caller_ms float8) RETURNS timestamptz
  LANGUAGE sql SET search_path FROM CURRENT AS 'SELECT to_timestamp(caller_ms / 1000)'`

const FOLDER = join(import.meta.dirname, 'tables')
const versions = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases(async () => undefined)
})
afterAll(() => databases.cleanUp.disposeAsync())

describe.each(versions)('a receiver uses the tables of %s', (version) => {
  const answers = jsonIn<readonly Answered[]>(version, 'receiver.answers.json')

  it('in SQLite', async () => {
    const path = temporaryPath(onTestFinished)
    restoreSqlite(path, textIn(version, 'receiver.sqlite.sql'))
    const store = sqliteStore(path)
    await store.migrate()
    await checkReceiver(store, answers)
    await store.close()
  })

  it('in PostgreSQL', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    await pool.query(textIn(version, 'receiver.postgres.sql'))
    const store = postgresStore(pool)
    await store.migrate()
    await checkReceiver(store, answers)
  })

  it.runIf(isInstalled('redis-server'))('in Redis', async () => {
    await using redis = await startRedis()
    const { client, close } = await connectRedis(redis.port)
    await restoreRedis(client, jsonIn<readonly FrozenKey[]>(version, 'receiver.redis.json'))
    await checkReceiver(redisStore(client), answers)
    close()
  })
})

describe.each(versions)('a mirror uses the tables of %s', (version) => {
  const frozen = jsonIn<FrozenMirrors>(version, 'mirror.answers.json')

  it('in SQLite', async () => {
    const path = temporaryPath(onTestFinished)
    restoreSqlite(path, textIn(version, 'mirror.sqlite.sql'))
    const store = sqliteMirror(path)
    await checkMirrors(store, frozen)
    await store.close?.()
  })

  it('in PostgreSQL', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    await pool.query(textIn(version, 'mirror.postgres.sql'))
    await pool.query(FOLLOW_THE_CALLER)
    await checkMirrors(postgresMirror(pool), frozen)
  })
})

it.runIf(isInstalled('redis-server'))('tables are frozen in the same way each time', async () => {
  expect(await freezeTables()).toEqual(await freezeTables())
})

async function checkReceiver(store: ReceiverStore, answers: readonly Answered[]): Promise<void> {
  const questions = answers.map(({ request }) => request)
  expect(await ask(store, questions)).toEqual(answers)
  const fresh = answers.filter(({ status }) => status === 'claimed').map(({ request }) => request)
  for (const request of fresh) {
    const result = await store.claim(request)
    // An event that this loop commits may make a later event stale.
    if (result.status === 'claimed') expect(await store.commit(result.claim)).toBe('committed')
  }
  const again = await ask(store, questions)
  expect(again.filter(({ status }) => status === 'claimed')).toEqual([])
  expect(again.filter(({ status }) => status === 'busy')).toEqual(answers.filter(({ status }) => status === 'busy'))
}

async function checkMirrors(store: MirrorStore, { at, mirrors }: FrozenMirrors): Promise<void> {
  for (const frozen of mirrors) await checkMirror(store, frozen, at)
}

const MINUTE_MS = 60_000

async function checkMirror(store: MirrorStore, frozen: FrozenMirror, at: number): Promise<void> {
  const { integration, noteIds, reads } = frozen
  let now = at
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms
    },
  }
  expect(await readMirror(store, integration, noteIds, clock)).toMatchObject(reads)

  const service = new Map(frozen.service.map((kept) => [kept.note.note_id, kept]))
  const late = aNote('late', { title: 'Puffin count', updated_at: new Date(at).toISOString() })
  service.set(late.note.note_id, late)
  const asked: string[] = []
  const client = clientOf(service, clock, (path) => asked.push(path))
  const mirror = createMirror({ client, store, integration, clock })
  const { position } = await mirror.status()
  // Also while the mirror distrusts a service that returns lower revisions.
  for (let minutes = 0; minutes < 60; minutes += 5) {
    now += 5 * MINUTE_MS
    await mirror.sync({ scan: 'now' })
  }
  if (integration === 'interrupted') expect(asked.find((path) => path.startsWith('/v1/notes?'))).toContain('cursor=2')
  for (const { scanId, notes } of (await mirror.status()).held) expect(await mirror.acceptRemovals(scanId)).toBe(notes)

  expect(await copyOf(mirror)).toEqual([...service.values()].map(essenceOf).sort())
  expect((await mirror.search('puff')).map(({ note }) => note.note_id)).toEqual(['note_late'])
  const changed = (await allOf(mirror.changes({ after: position }))).map(({ noteId }) => noteId)
  expect(changed).toContain('note_late')
  expect(changed).not.toContain('note_ada')
  expect(await mirror.status()).toMatchObject({ contradictions: 0, notes: { dirty: 0, unsettled: 0, hidden: 0 } })
}

async function copyOf(mirror: Mirror): Promise<readonly string[]> {
  const notes = (await allOf(mirror.list())).map(({ note, transcript, summary }) =>
    JSON.stringify([note.note_id, note.revision, note.title, transcript?.text ?? null, summary?.markdown ?? null]),
  )
  return notes.sort()
}

function essenceOf({ note, transcript, summary }: KeptNote): string {
  return JSON.stringify([note.note_id, note.revision, note.title, transcript ?? null, summary ?? null])
}

function textIn(version: string, name: string): string {
  return readFileSync(join(FOLDER, version, name), 'utf8')
}

function jsonIn<Content>(version: string, name: string): Content {
  return JSON.parse(textIn(version, name))
}
