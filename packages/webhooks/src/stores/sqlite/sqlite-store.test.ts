import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  betterSqlite,
  NodeSqliteMissingError,
  type PreparedStatement,
  type SqliteConnection,
  SqliteNotMigratedError,
} from '@notewire/storage'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { storeChecks } from '../../testing/store-checks.ts'
import { sqliteStore } from './sqlite-store.ts'

const stores = {
  'node:sqlite, in a file': () => sqliteStore(temporaryPath(onTestFinished)),
  'node:sqlite, in memory': () => sqliteStore(':memory:'),
  'better-sqlite3, in a file': () => sqliteStore(betterSqlite(new Database(temporaryPath(onTestFinished)))),
  'better-sqlite3, in memory': () => sqliteStore(betterSqlite(new Database(':memory:'))),
}

describe.each(Object.entries(stores))('the store in %s', (_where, open) => {
  for (const { name, run } of storeChecks) {
    it(name, async () => {
      const store = open()
      await store.migrate()
      await run(store)
      await store.close()
    })
  }
})

describe('a path', () => {
  it('is opened at the first use of the store', async () => {
    const { existsSync } = await import('node:fs')
    const path = temporaryPath(onTestFinished)
    const store = sqliteStore(path)
    expect(existsSync(path)).toBe(false)
    await store.migrate()
    expect(existsSync(path)).toBe(true)
    await store.close()
  })

  it('keeps the records when it is opened again', async () => {
    const path = temporaryPath(onTestFinished)
    const request = { integration: 's', eventId: 'one', gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 } as const
    const before = sqliteStore(path)
    await before.migrate()
    const result = await before.claim(request)
    expect(result.status === 'claimed' && (await before.commit(result.claim))).toBe('committed')
    await before.close()
    const after = sqliteStore(path)
    await after.migrate()
    expect(await after.claim(request)).toEqual({ status: 'duplicate' })
    await after.close()
  })

  it('rejects with the alternatives if the runtime has no node:sqlite', async () => {
    const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    const migrating = sqliteStore('events.db').migrate()
    await expect(migrating).rejects.toThrow(NodeSqliteMissingError)
    await expect(migrating).rejects.toThrow(/Node\.js 22\.13 or later.*better-sqlite3.*d1 on Workers/)
    missing.mockRestore()
  })
})

it('migrate does not wait for a writer if nothing is missing', async () => {
  const path = temporaryPath(onTestFinished)
  // All from one library, because the locks of two libraries in one process do not exclude each other.
  const connections = Array.from({ length: 2 }, () => new Database(path))
  const [store, another] = connections.map((connection) => sqliteStore(betterSqlite(connection)))
  await store?.migrate()
  const writer = new Database(path)
  writer.exec('BEGIN IMMEDIATE')
  await expect(another?.migrate()).resolves.toBeUndefined()
  writer.exec('ROLLBACK')
  for (const connection of [...connections, writer]) connection.close()
})

describe.each([
  ['node:sqlite', sqliteStore, (path: string): SqliteConnection => new DatabaseSync(path)],
  [
    'better-sqlite3',
    (path: string) => sqliteStore(betterSqlite(new Database(path))),
    (path: string): SqliteConnection => new Database(path),
  ],
])('an operation over %s while another connection writes', (_driver, storeAt, open) => {
  const request = (eventId: string) =>
    ({ integration: 's', eventId, note: { noteId: 'n' }, gate: 'off', leaseMs: 20_000, keepMs: 97_200_000 }) as const

  async function setUp() {
    const path = temporaryPath(onTestFinished)
    const store = storeAt(path)
    onTestFinished(() => store.close())
    await store.migrate()
    const writer = open(path)
    writer.exec('BEGIN IMMEDIATE')
    return { store, writer }
  }

  it('waits without blocking the thread', async () => {
    const { store, writer } = await setUp()
    const claims = Array.from({ length: 20 }, (_, index) => store.claim(request(`event ${index}`)))
    await sleep(300)
    writer.exec('COMMIT')
    const answers = (await Promise.all(claims)).map(({ status }) => status)
    expect(answers.filter((status) => status === 'claimed')).toHaveLength(1)
    expect(answers.filter((status) => status === 'busy')).toHaveLength(19)
  })

  it('rejects after 5 s', async () => {
    const { store, writer } = await setUp()
    const began = performance.now()
    await expect(store.claim(request('one'))).rejects.toThrow('database is locked')
    expect(performance.now() - began).toBeGreaterThan(4_900)
    writer.exec('COMMIT')
    expect((await store.claim(request('one'))).status).toBe('claimed')
  })
})

it('the store removes the busy timeout of 5 s of a better-sqlite3 connection, which would block the thread', async () => {
  const connection = new Database(temporaryPath(onTestFinished))
  onTestFinished(() => void connection.close())
  expect(connection.pragma('busy_timeout', { simple: true })).toBe(5_000)
  await sqliteStore(betterSqlite(connection)).migrate()
  expect(connection.pragma('busy_timeout', { simple: true })).toBe(0)
})

describe('a commit and a forget', () => {
  const FULL = 2

  /** A connection that records `PRAGMA synchronous` at each statement of the store. */
  function watched(database: Database.Database, seen: number[]): SqliteConnection {
    const watch = (statement: PreparedStatement): PreparedStatement => {
      const ran = <Result>(result: Result): Result => {
        seen.push(Number(database.pragma('synchronous', { simple: true })))
        return result
      }
      return {
        reader: statement.reader ?? true,
        all: (...parameters) => ran(statement.all(...parameters)),
        run: (...parameters) => ran(statement.run(...parameters)),
      }
    }
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => watch(database.prepare(sql)),
      get inTransaction() {
        return database.inTransaction
      },
    }
  }

  it.each([
    ['of a note', { noteId: 'note_1', change: { kind: 'note.updated', revision: 1 } }],
    ['of no note', undefined],
  ] as const)('of an event %s is flushed to the disk', async (_of, note) => {
    const seen: number[] = []
    const path = temporaryPath(onTestFinished)
    const migrated = sqliteStore(path)
    await migrated.migrate()
    await migrated.close()
    // The first operation on the connection is a claim, which is not flushed.
    const store = sqliteStore(betterSqlite(watched(new Database(path), seen)))
    for (const eventId of ['one', 'two']) {
      const request = { integration: 's', eventId, note, gate: 'off', leaseMs: 20_000, keepMs: 97_200_000 } as const
      const result = await store.claim(request)
      expect(result.status === 'claimed' && (await store.renew(result.claim, 20_000))).toBe('renewed')
      seen.length = 0
      expect(result.status === 'claimed' && (await store.commit(result.claim))).toBe('committed')
      expect(new Set(seen)).toEqual(new Set([FULL]))
      await store.claim(request)
      seen.length = 0
      expect(await store.forget('s', eventId)).toBe('forgotten')
      expect(new Set(seen)).toEqual(new Set([FULL]))
    }
  })
})

describe('times', () => {
  it('may be fractions or infinite', async () => {
    const store = sqliteStore(':memory:', { clock: { now: () => 1_000.5 } })
    await store.migrate()
    const request = {
      integration: 's',
      eventId: 'one',
      gate: 'strict',
      leaseMs: 0.5,
      keepMs: Number.POSITIVE_INFINITY,
    } as const
    const result = await store.claim(request)
    expect(result.status === 'claimed' && (await store.commit(result.claim))).toBe('committed')
    expect(await store.prune()).toBe(0)
    expect(await store.claim(request)).toEqual({ status: 'duplicate' })
  })
})

describe('a database that was never migrated', () => {
  it('rejects with SqliteNotMigratedError', async () => {
    await expect(sqliteStore(':memory:').prune()).rejects.toThrow(SqliteNotMigratedError)
  })
})

describe('options', () => {
  it('are refused if they are unknown', () => {
    // @ts-expect-error a misspelt option
    expect(() => sqliteStore(':memory:', { clok: Date })).toThrow(/sqliteStore has no option "clok"/)
  })

  it('are refused if they are invalid', () => {
    // @ts-expect-error no clock
    expect(() => sqliteStore(':memory:', { clock: Date.now })).toThrow(/clock has no method "now"/)
  })

  it.each(['', undefined, new Database(':memory:')])('are refused without a path or a driver: %s', (database) => {
    expect(() => sqliteStore(database as string)).toThrow(/needs the path of a file.*or a driver/)
  })
})
