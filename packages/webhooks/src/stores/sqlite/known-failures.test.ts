import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { betterSqlite, SqliteFailedError } from '@notewire/storage'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setUpReceiver } from '../../../fixtures/set-up-receiver.ts'
import { anEvent } from '../../testing/an-event.ts'
import { sqliteStore } from './sqlite-store.ts'
import { sqliteTransactions } from './sqlite-transactions.ts'

const NOT_A_DATABASE = /SQLite reports "file is not a database"\. .*Pass the path of another file/

function fileOf(content: string): string {
  const path = temporaryPath(onTestFinished)
  writeFileSync(path, content.padEnd(5_000))
  return path
}

describe('a file that is not a database', () => {
  it.each([
    ['node:sqlite', (path: string) => sqliteStore(path)],
    ['better-sqlite3', (path: string) => sqliteStore(betterSqlite(new Database(path)))],
    ['transactions', (path: string) => sqliteTransactions(new DatabaseSync(path))],
  ])('is explained with the file and the next step: %s', async (_what, storeOf) => {
    const path = fileOf('notes: private')
    const store = storeOf(path)
    const migrating = store.migrate()
    await expect(migrating).rejects.toThrow(SqliteFailedError)
    await expect(migrating).rejects.toThrow(NOT_A_DATABASE)
    await expect(migrating).rejects.toThrow(path)
    await expect(migrating).rejects.toMatchObject({ code: 'sqlite_failed', cause: expect.any(Error) })
  })

  it('is explained in the log', async () => {
    const store = sqliteStore(fileOf('private'))
    const { deliver, logger } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/^error the store failed.*sqlite_failed.*file is not a database.*Pass the path/)
  })
})

it('a database that may only be read is explained', async () => {
  const path = temporaryPath(onTestFinished)
  const writing = sqliteStore(path)
  await writing.migrate()
  const store = sqliteStore(`${pathToFileURL(path).href}?mode=ro`)
  await expect(store.forget('default', 'one')).rejects.toThrow(/attempt to write a readonly database.*folder writable/)
  await store.close()
  await writing.close()
})

it('a table of the user that is missing is explained in the log, without its name', async () => {
  const database = new DatabaseSync(':memory:')
  const store = sqliteTransactions(database)
  await store.migrate()
  const { receiver, logger } = setUpReceiver({
    store,
    on: { 'note.ended': () => database.exec('INSERT INTO secret_plans VALUES (1)') },
  } as object)
  expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('failed')
  expect(logger.lines.join()).toMatch(/"code":"SQLITE_ERROR".*no such table.*Create the table/)
  expect(logger.lines.join()).not.toContain('secret_plans')
})
