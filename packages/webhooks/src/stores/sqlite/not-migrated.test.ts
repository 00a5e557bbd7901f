import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { betterSqlite, nodeSqlite, SqliteFolderMissingError, SqliteNotMigratedError } from '@notewire/storage'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { setUpReceiver } from '../../../fixtures/set-up-receiver.ts'
import { createReceiver } from '../../receiver/receiver.ts'
import { anEvent } from '../../testing/an-event.ts'
import { sqliteStore } from './sqlite-store.ts'
import { sqliteTransactions } from './sqlite-transactions.ts'

const CLAIM = { integration: 's', eventId: 'one', gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 } as const

describe.each([
  ['node:sqlite', nodeSqlite],
  ['better-sqlite3', (path: string) => betterSqlite(new Database(path))],
])('a store over %s without tables', (_what, driver) => {
  it('rejects with an error that names migrate and the file, which the log shows', async () => {
    const path = temporaryPath(onTestFinished)
    const store = sqliteStore(driver(path))
    onTestFinished(() => store.close())
    const claiming = store.claim(CLAIM)
    await expect(claiming).rejects.toThrow(SqliteNotMigratedError)
    await expect(claiming).rejects.toMatchObject({ code: 'sqlite_not_migrated', cause: expect.any(Error) })
    await expect(claiming).rejects.toThrow(/await store\.migrate\(\)/)
    await expect(claiming).rejects.toThrow(path)

    const { deliver, logger } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/^error the store failed.*sqlite_not_migrated.*await store\.migrate\(\)/)
    expect(logger.lines.join()).toContain(path)
    await store.migrate()
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
  })
})

describe.each([
  ['node:sqlite', (path: string) => new DatabaseSync(path)],
  ['better-sqlite3', (path: string) => new Database(path)],
])('a store with transactions over %s without tables', (_what, open) => {
  it('rejects with an error that names migrate and the file, which the log shows', async () => {
    const path = temporaryPath(onTestFinished)
    const store = sqliteTransactions(open(path))
    await expect(store.forget('s', 'one')).rejects.toThrow(path)

    const logger = recordingLogger()
    const receiver = createReceiver({ secret: TEST_SECRET, store, logger, on: { 'note.ended': () => undefined } })
    const event = anEvent({ kind: 'note.ended' })
    expect(await receiver.process(event)).toMatchObject({
      status: 'store-failed',
      error: { code: 'sqlite_not_migrated', cause: expect.any(Error) },
    })
    expect(logger.lines.join()).toMatch(/^error the store failed.*sqlite_not_migrated.*await store\.migrate\(\)/)
    expect(logger.lines.join()).toContain(path)
    await store.migrate()
    expect((await receiver.process(event)).status).toBe('applied')
  })
})

it('says of D1 and Durable Objects, which have no file, only that the tables are missing', async () => {
  const batch = () => Promise.reject(new Error('D1_ERROR: no such table: notewire_events: SQLITE_ERROR'))
  await expect(sqliteStore({ batch }).claim(CLAIM)).rejects.toThrow(/^the database has no tables/)
})

it('passes on the error of a table that is not the store’s', async () => {
  const error = new Error('no such table: notes')
  await expect(sqliteStore({ batch: () => Promise.reject(error) }).claim(CLAIM)).rejects.toBe(error)
})

it('names the path that was given if the connection does not say its file, as in Node.js before 22.16', async () => {
  const path = temporaryPath(onTestFinished)
  const location = vi.spyOn(DatabaseSync.prototype, 'location').mockReturnValue(null)
  const store = sqliteStore(path)
  await expect(store.claim(CLAIM)).rejects.toThrow(`the database ${path} has no tables`)
  location.mockRestore()
  await store.close()
})

it('names the folder that does not exist, and works once it does', async () => {
  const folder = join(dirname(temporaryPath(onTestFinished)), 'data')
  const store = sqliteStore(join(folder, 'events.db'))
  onTestFinished(() => store.close())
  const migrating = store.migrate()
  await expect(migrating).rejects.toThrow(SqliteFolderMissingError)
  await expect(migrating).rejects.toMatchObject({ code: 'sqlite_folder_missing' })
  await expect(migrating).rejects.toThrow(`the folder ${folder} does not exist`)
  const { deliver, logger } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
  expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
  expect(logger.lines.join()).toContain(folder)
  mkdirSync(folder)
  await store.migrate()
})
