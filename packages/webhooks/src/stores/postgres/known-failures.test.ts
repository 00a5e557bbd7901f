import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { createReceiver } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { PostgresFailedError, postgresStore, postgresTransactions } from './index.ts'

let databases: TestDatabases
let url: string
let readOnlyUrl: string
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.emptyDatabase()
  await postgresStore(databases.poolOf(url)).migrate()
  readOnlyUrl = await databases.emptyDatabase()
  const owner = databases.poolOf(readOnlyUrl)
  await postgresStore(owner).migrate()
  await owner.query(`ALTER DATABASE ${new URL(readOnlyUrl).pathname.slice(1)} SET default_transaction_read_only = on`)
})
afterAll(() => databases.cleanUp.disposeAsync())

const poolsOf: readonly (readonly [string, RegExp, (url: string) => ReturnType<TestDatabases['poolOf']>])[] = [
  [
    '3D000',
    /SQLSTATE 3D000: the database of the connection does not exist\. Create it/,
    (given) => databases.poolOf(given.replace(/[^/]*$/, 'missing')),
  ],
  [
    '28000',
    /SQLSTATE 28000: the server refuses this user from this host\. Correct the user/,
    (given) => databases.poolOf(given.replace('postgres:postgres@', 'nobody:wrong@')),
  ],
  [
    '25006',
    /SQLSTATE 25006: the connection is read-only\. Connect to the primary/,
    () => databases.poolOf(readOnlyUrl),
  ],
  [
    'ECONNREFUSED',
    /127\.0\.0\.1:1 could not be reached \(ECONNREFUSED\)\. Check that the server runs/,
    () => databases.poolOf('postgres://postgres:postgres@127.0.0.1:1/notes'),
  ],
]

describe.each(poolsOf)('%s', (_code, words, poolOf) => {
  it('is explained by the error of an operation, and in the log', async () => {
    const store = postgresStore(poolOf(url))
    const event = anEvent({ kind: 'note.ended' })
    const request = { integration: 'default', eventId: 'one', gate: 'strict', leaseMs: 20_000, keepMs: 1e9 } as const
    const claiming = store.claim(request)
    await expect(claiming).rejects.toThrow(PostgresFailedError)
    await expect(claiming).rejects.toMatchObject({ code: 'postgres_failed', cause: expect.any(Error) })
    await expect(claiming).rejects.toThrow(words)

    const logger = recordingLogger()
    const receiver = createReceiver({ secret: TEST_SECRET, store, logger, on: { 'note.ended': () => undefined } })
    expect((await receiver.process(event)).status).toBe('store-failed')
    expect(logger.lines.join()).toMatch(words)
    expect(logger.lines.join()).not.toContain('wrong@')
  })
})

it('a table of the user that is missing is explained in the log, without its name', async () => {
  const logger = recordingLogger()
  const receiver = createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(databases.poolOf(url)),
    logger,
    on: { 'note.ended': (_event, { transaction }) => transaction.query('INSERT INTO secret_plans VALUES (1)') },
  })
  expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('failed')
  expect(logger.lines.join()).toMatch(/^error a handler failed.*"code":"42P01".*a table does not exist\. Create it/)
  expect(logger.lines.join()).toMatch(/logErrorMessages: true shows the message/)
  expect(logger.lines.join()).not.toContain('secret_plans')
})
