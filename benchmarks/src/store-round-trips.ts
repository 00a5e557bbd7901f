import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { postgresStore } from '@notewire/webhooks/postgres'
import { redisStore } from '@notewire/webhooks/redis'
import { betterSqlite, type PreparedStatement, sqliteStore } from '@notewire/webhooks/sqlite'
import type { ClaimRequest, ReceiverStore } from '@notewire/webhooks/store'
import { Redis } from 'ioredis'
import { startPostgres, startRedis } from 'notewire-test-servers'
import { Pool } from 'pg'
import { KEEP_MS, LEASE_MS } from './claims.ts'
import type { Row, Table } from './report.ts'

/** Processes this number of events of each sort, so that the first, which loads scripts, weighs nothing. */
const EVENTS = 100

/** Counts the statements and round trips of an event in each store. */
export async function measureStoreRoundTrips(): Promise<readonly Table[]> {
  return [
    {
      title: 'How many statements does an event need?',
      unit: '',
      note: 'Each statement in PostgreSQL and each command in Redis is a round trip. A hand-written deduplication needs two. SQLite runs in the process, and its count includes `BEGIN`, `COMMIT` and `PRAGMA`.',
      rows: [...(await inPostgres()), ...(await inRedis()), ...(await inSqlite())],
    },
  ]
}

async function inPostgres(): Promise<readonly Row[]> {
  await using postgres = await startPostgres()
  const pool = new Pool({ connectionString: postgres.url })
  pool.on('error', () => undefined)
  let statements = 0
  const store = postgresStore({
    query: (text, values) => {
      statements += 1
      return pool.query(text, values)
    },
  })
  await store.migrate()
  const rows = await countedIn('PostgreSQL', store, async () => statements)
  await pool.end()
  return rows
}

async function inRedis(): Promise<readonly Row[]> {
  await using server = await startRedis()
  const redis = new Redis(server.port)
  const monitor = await redis.monitor()
  let commands = 0
  const markers = new Set<string>()
  monitor.on('monitor', (_time: string, [name, marker]: readonly string[], source: string) => {
    if (name?.toLowerCase() === 'echo' && marker !== undefined) markers.add(marker)
    else if (source !== 'lua') commands += 1
  })
  let marks = 0
  const rows = await countedIn('Redis', redisStore(redis), async () => {
    // MONITOR reports this command after all earlier ones.
    marks += 1
    await redis.echo(String(marks))
    while (!markers.has(String(marks))) await nextTurn()
    return commands
  })
  monitor.disconnect()
  redis.disconnect()
  return rows
}

async function inSqlite(): Promise<readonly Row[]> {
  const database = new DatabaseSync(':memory:')
  let statements = 0
  const counted = (prepared: PreparedStatement): PreparedStatement => ({
    all: (...parameters) => {
      statements += 1
      return prepared.all(...parameters)
    },
    run: (...parameters) => {
      statements += 1
      return prepared.run(...parameters)
    },
  })
  const store = sqliteStore(
    betterSqlite({ exec: (sql) => database.exec(sql), prepare: (sql) => counted(database.prepare(sql)) }),
  )
  await store.migrate()
  const rows = await countedIn('SQLite', store, async () => statements)
  database.close()
  return rows
}

async function countedIn(name: string, store: ReceiverStore, count: () => Promise<number>): Promise<readonly Row[]> {
  const sorts: Readonly<Record<string, { readonly status: string; request(index: number): ClaimRequest }>> = {
    'a new event': { status: 'claimed', request: (index) => ({ ...SETTINGS, eventId: `alone ${index}` }) },
    'a new event of a note': { status: 'claimed', request: (index) => aboutNote(`note ${index}`, index) },
    'a duplicate': { status: 'duplicate', request: (index) => aboutNote(`note ${index}`, index) },
    'a stale event': { status: 'stale', request: (index) => aboutNote(`stale ${index}`, 0) },
  }
  const rows: Row[] = []
  for (const [sort, { status, request }] of Object.entries(sorts)) {
    const before = await count()
    for (let index = 1; index <= EVENTS; index += 1) {
      const result = await store.claim(request(index))
      if (result.status !== status) throw new Error(`an event that should be ${status} is ${result.status}`)
      if (result.status === 'claimed') await store.commit(result.claim)
    }
    const value = Math.round(((await count()) - before) / EVENTS)
    rows.push({ name: sort, column: name, value })
  }
  return rows
}

const SETTINGS = { integration: 'default', gate: 'deletions-at-equal', leaseMs: LEASE_MS, keepMs: KEEP_MS } as const

function aboutNote(eventId: string, revision: number): ClaimRequest {
  return { ...SETTINGS, eventId, note: { noteId: 'a note', change: { kind: 'note.updated', revision } } }
}
