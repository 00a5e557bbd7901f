import { DatabaseSync } from 'node:sqlite'
import {
  betterSqlite,
  type DurableObjectSqlStorage,
  durableObjectSqlite,
  type SqliteConnection,
} from '@notewire/storage'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../../fixtures/consuming/manual-clock.ts'
import { NoteWriter } from '../../../fixtures/consuming/note-writer.ts'
import { onClock } from '../../../fixtures/on-clock.ts'
import { SILENT } from '../../../fixtures/silent-logger.ts'
import { objectStorage } from '../../../fixtures/stores/sqlite/object-storage.ts'
import { type ConsumerChange, type ConsumerContext, openMirror } from '../../index.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

async function aFile() {
  const path = temporaryPath(onTestFinished)
  const store = sqliteMirror(path)
  await store.migrate()
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec('CREATE TABLE applied (id INTEGER PRIMARY KEY, change TEXT)')
  onTestFinished(() => {
    database.close()
    void store.close?.()
  })
  const insert = database.prepare('INSERT INTO applied (change) VALUES (?)')
  const write = (changes: readonly ConsumerChange[]) => changes.map(({ noteId }) => insert.run(noteId))
  const rows = () =>
    database
      .prepare('SELECT change FROM applied ORDER BY id')
      .all()
      .map(({ change }) => String(change))
  const clock = new ManualClock()
  const problems: unknown[] = []
  const mirror = openMirror({
    store: onClock(store, clock),
    hooks: { onProblem: ({ error }) => problems.push(error) },
    logger: SILENT,
  })
  return { path, store, database, write, rows, clock, mirror, problems, notes: new NoteWriter(store) }
}

describe('commit in a transaction of SQLite', () => {
  it('is synchronous, and takes effect with the transaction, with either driver', async () => {
    const { path, database, write, mirror, notes, rows } = await aFile()
    await notes.show('a', 'First')
    await mirror.consumeDue({
      name: 'index',
      apply: (changes, { commit }) => {
        database.exec('BEGIN IMMEDIATE')
        write(changes)
        void commit(database)
        database.exec('COMMIT')
      },
    })
    const better = new Database(path)
    onTestFinished(() => void better.close())
    const other = openMirror({ store: sqliteMirror(betterSqlite(new Database(path))) })
    const insert = better.prepare('INSERT INTO applied (change) VALUES (?)')
    await notes.show('b', 'First')
    await other.consumeDue({
      name: 'index',
      apply: better.transaction((changes: readonly ConsumerChange[], { commit }: ConsumerContext<SqliteConnection>) => {
        for (const { noteId } of changes) insert.run(noteId)
        void commit(better)
      }).immediate,
    })
    expect(rows()).toEqual(['a', 'b'])
    expect(await mirror.consumerStatus('index')).toEqual({
      hasRun: true,
      lag: 0,
      waiting: 0,
      parked: [],
      backoff: null,
    })
  })

  it('accepts the storage of a Durable Object', async () => {
    const storage = objectStorage()
    const store = sqliteMirror(durableObjectSqlite(storage))
    await store.migrate()
    storage.sql.exec('CREATE TABLE applied (change TEXT)').toArray()
    await new NoteWriter(store).show('a', 'First')
    const apply = (changes: readonly ConsumerChange[], { commit }: ConsumerContext<DurableObjectSqlStorage>) => {
      storage.transactionSync(() => {
        for (const { noteId } of changes) storage.sql.exec('INSERT INTO applied VALUES (?)', noteId).toArray()
        void commit(storage)
      })
    }
    expect(await openMirror({ store }).consumeDue({ name: 'index', apply })).toEqual({
      applied: 1,
      failed: 0,
      nextAt: null,
    })
    expect(storage.sql.exec('SELECT change FROM applied').toArray()).toMatchObject([{ change: 'a' }])
  })

  it('takes effect even if apply fails after it, but not if the transaction is rolled back', async () => {
    const { database, write, mirror, notes, rows, clock, problems } = await aFile()
    const applyAnd = (end: 'COMMIT' | 'ROLLBACK', then: () => void) => ({
      name: 'index',
      apply: (changes: readonly ConsumerChange[], { commit }: { commit: (db: DatabaseSync) => unknown }) => {
        database.exec('BEGIN IMMEDIATE')
        write(changes)
        void commit(database)
        database.exec(end)
        then()
      },
    })
    await notes.show('a', 'First')
    expect(await mirror.consumeDue(applyAnd('ROLLBACK', () => undefined))).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'transaction_not_committed' }])
    clock.advance(1_000)
    const failing = applyAnd('COMMIT', () => {
      throw new Error('after the commit')
    })
    expect(await mirror.consumeDue(failing)).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(rows()).toEqual(['a'])
  })

  it('throws after apply has returned, and its notes are due again', async () => {
    const { database, write, mirror, notes, rows, clock, problems } = await aFile()
    const late: unknown[] = []
    const apply = async (changes: readonly ConsumerChange[], { commit }: ConsumerContext<SqliteConnection>) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        write(changes)
        void commit(database)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        late.push(error)
      }
    }
    await notes.show('a', 'First')
    const forgetful: typeof apply = async (...given) => void setTimeout(() => apply(...given), 20)
    expect(await mirror.consumeDue({ name: 'index', apply: forgetful })).toMatchObject({ applied: 1, failed: 0 })
    await expect.poll(() => late).toMatchObject([{ code: 'transaction_not_committed' }])
    expect(problems).toEqual(late)
    await expect.poll(() => mirror.consumerStatus('index')).toMatchObject({ lag: 0, waiting: 1 })
    expect(rows()).toEqual([])
    clock.advance(1_000)
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(rows()).toEqual(['a'])
  })

  it('takes effect with the rows of the transaction in which it runs, if another was rolled back before', async () => {
    const { database, write, mirror, notes, rows } = await aFile()
    await notes.show('a', 'First')
    await mirror.consumeDue({
      name: 'index',
      apply: (changes, { commit }) => {
        database.exec('BEGIN IMMEDIATE')
        write(changes)
        database.exec('ROLLBACK; BEGIN IMMEDIATE')
        write(changes)
        void commit(database)
        database.exec('COMMIT')
      },
    })
    expect(rows()).toEqual(['a'])
    expect(await mirror.consumerStatus('index')).toMatchObject({ lag: 0, waiting: 0 })
  })

  it('throws synchronously if another process has taken the lease, and needs an open transaction', async () => {
    const { path, database, write, mirror, notes, rows, clock } = await aFile()
    const other = openMirror({ store: sqliteMirror(path, { clock }) })
    await notes.show('a', 'First')
    const thrown: unknown[] = []
    await mirror.consumeDue({
      name: 'index',
      apply: async (changes, { commit }) => {
        try {
          void commit(database)
        } catch (error) {
          thrown.push(error)
        }
        clock.advance(31_000)
        await other.consumeDue({ name: 'index', apply: () => undefined })
        database.exec('BEGIN IMMEDIATE')
        try {
          write(changes)
          void commit(database)
          database.exec('COMMIT')
        } catch (error) {
          thrown.push(error)
          database.exec('ROLLBACK')
        }
      },
    })
    expect(thrown).toMatchObject([{ code: 'option_invalid', option: 'transaction' }, { code: 'consumer_lost' }])
    expect(rows()).toEqual([])
  })
})
