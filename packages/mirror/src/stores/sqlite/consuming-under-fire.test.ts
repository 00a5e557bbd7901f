import { AssertionError } from 'node:assert'
import { DatabaseSync } from 'node:sqlite'
import { betterSqlite, type SqliteConnection, type SqliteValue } from '@notewire/storage'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  dieAtEveryStatement,
  isProof,
  plantedInConsumers,
  type StartProcess,
} from '../../../fixtures/consuming/dying-at-statements.ts'
import { killConsumers } from '../../../fixtures/consuming/under-fire.ts'
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
  const read = database.prepare('SELECT change FROM applied ORDER BY id')
  return { path, store, readRows: async () => read.all().map(({ change }) => String(change)) }
}

/** A process with a connection for its mirror and one for its rows. */
function startProcess(path: string): StartProcess<SqliteConnection> {
  return async (countStatement) => {
    const ofMirror = new DatabaseSync(path)
    const ofRows = new DatabaseSync(path, { timeout: 5_000 })
    const rows = counting(ofRows, countStatement)
    const insert = rows.prepare('INSERT INTO applied (change) VALUES (?)')
    return {
      store: sqliteMirror(betterSqlite(counting(ofMirror, countStatement))),
      async apply(changes, commit) {
        rows.exec('BEGIN IMMEDIATE')
        for (const change of changes) insert.run(change)
        void commit(rows)
        rows.exec('COMMIT')
      },
      async end() {
        ofMirror.close()
        ofRows.close()
      },
    }
  }
}

function counting(database: DatabaseSync, countStatement: () => void): SqliteConnection {
  const counted =
    <Given extends unknown[], Result>(run: (...given: Given) => Result) =>
    (...given: Given): Result => {
      countStatement()
      return run(...given)
    }
  return {
    exec: counted((sql: string) => database.exec(sql)),
    prepare(sql) {
      const prepared = database.prepare(sql)
      return {
        all: counted((...values: SqliteValue[]) => prepared.all(...values)),
        run: counted((...values: SqliteValue[]) => prepared.run(...values)),
      }
    },
    get isTransaction() {
      return database.isTransaction
    },
  }
}

describe('a process that dies before any of its statements', () => {
  const rounds = isProof ? 40 : 3

  it('applies no change twice, and skips none', async () => {
    const { path, readRows } = await aFile()
    expect(await dieAtEveryStatement(startProcess(path), readRows, rounds)).toBeGreaterThan(30)
  })

  it.each(Object.entries(plantedInConsumers))('detects the planted bug "%s"', async (_, plant) => {
    const { path, readRows } = await aFile()
    const deaths = dieAtEveryStatement(startProcess(path), readRows, rounds, plant)
    await expect(deaths).rejects.toThrow(AssertionError)
  })
})

it('two processes that are killed again and again apply each change exactly once', async () => {
  const { path, store, readRows } = await aFile()
  await killConsumers(
    store,
    new URL('../../../fixtures/stores/sqlite/consuming-process.ts', import.meta.url),
    path,
    readRows,
  )
})
