import * as receiverPostgres from '@notewire/webhooks/postgres'
import * as receiverSqlite from '@notewire/webhooks/sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as mirrorPostgres from './postgres/index.ts'
import * as mirrorSqlite from './sqlite/index.ts'

const request = {
  integration: 'default',
  eventId: 'evt_1',
  gate: 'strict',
  leaseMs: 20_000,
  keepMs: 97_200_000,
} as const

it.each([
  ['42883', receiverPostgres.PostgresNotMigratedError, mirrorPostgres.PostgresNotMigratedError],
  ['42P01', receiverPostgres.PostgresNotMigratedError, mirrorPostgres.PostgresNotMigratedError],
  ['55P03', receiverPostgres.PostgresTimeoutError, mirrorPostgres.PostgresTimeoutError],
])('the error for SQLSTATE %s is the same class in both packages: %o', async (code, ofReceiver, ofMirror) => {
  const pool = { query: () => Promise.reject(Object.assign(new Error('refused'), { code })) }
  const thrown = [
    await failureOf(receiverPostgres.postgresStore(pool).forget('default', 'e1')),
    await failureOf(mirrorPostgres.postgresMirror(pool).load('default', [])),
  ]
  for (const error of thrown) {
    expect(error).toBeInstanceOf(ofReceiver)
    expect(error).toBeInstanceOf(ofMirror)
  }
})

it('the error for an operation without an answer is PostgresTimeoutError of both packages, with the time limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const pool = { query: () => new Promise<never>(() => undefined) }
  const failures = Promise.all([
    failureOf(receiverPostgres.postgresStore(pool).claim(request)),
    failureOf(mirrorPostgres.postgresMirror(pool).load('default', [])),
  ])
  await vi.advanceTimersByTimeAsync(30_000)
  const [ofReceiver, ofMirror] = await failures
  expect(ofReceiver).toBeInstanceOf(mirrorPostgres.PostgresTimeoutError)
  expect(ofMirror).toBeInstanceOf(receiverPostgres.PostgresTimeoutError)
  expect(String(ofReceiver)).toContain('did not finish "claim" within 5 s')
  expect(String(ofMirror)).toContain('did not finish "load" within 30 s')
})

it('a runtime without node:sqlite makes both packages throw the same NodeSqliteMissingError', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
  onTestFinished(() => void vi.restoreAllMocks())
  const ofReceiver = await failureOf(receiverSqlite.sqliteStore(':memory:').claim(request))
  const ofMirror = await failureOf(mirrorSqlite.sqliteMirror(':memory:').load('default', []))
  expect(ofReceiver).toBeInstanceOf(mirrorSqlite.NodeSqliteMissingError)
  expect(ofMirror).toBeInstanceOf(receiverSqlite.NodeSqliteMissingError)
})

async function failureOf(operation: unknown): Promise<unknown> {
  try {
    await operation
    return undefined
  } catch (error) {
    return error
  }
}
