import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import {
  expectLongestWindow,
  expectOneToCommit,
  expectTransactionsLikeLeases,
  steps,
} from '../../../fixtures/stores/transactions-like-leases.ts'
import { createReceiver, jobResult, type TransactionContext } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { betterSqlite, type SqliteConnection, sqliteStore, sqliteTransactions } from './index.ts'

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })

const drivers = [
  { driver: 'node:sqlite', open: (path: string): SqliteConnection => new DatabaseSync(path) },
  { driver: 'better-sqlite3', open: (path: string): SqliteConnection => new Database(path, { timeout: 0 }) },
]

/** A statement of which rows are read one by one. */
interface ReadableStatement {
  iterate(): Iterator<unknown>
}

type Handler = (context: TransactionContext<SqliteConnection>) => unknown

const insert: Handler = ({ transaction }) => transaction.prepare("INSERT INTO effects VALUES ('one')").run()

describe.each(drivers)('sqliteTransactions with $driver', ({ open }) => {
  async function setUp(handler: Handler, path = temporaryPath(onTestFinished)) {
    const database = open(path)
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS effects (event_id TEXT)')
    const store = sqliteTransactions(database)
    await store.migrate()
    const receiver = createReceiver({
      secret: TEST_SECRET,
      store,
      logger: recordingLogger(),
      on: { 'note.updated': (_event, context) => handler(context) as undefined },
    })
    const effects = () => database.prepare('SELECT * FROM effects').all().length
    return { path, database, store, receiver, effects }
  }

  it('commits the rows of the handler and the record of the event together', async () => {
    const { receiver, effects } = await setUp(insert)
    expect((await receiver.process(event)).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect(await receiver.process({ ...event, event_id: 'two' })).toMatchObject({ status: 'stale', appliedRevision: 7 })
    expect(effects()).toBe(1)
  })

  it.each([
    ['of rows that it reads', 'SELECT 1 UNION SELECT 2'],
    ['of rows that it writes', "INSERT INTO effects VALUES ('two'), ('three') RETURNING *"],
  ])('never keeps a transaction open if the handler leaves an iterator %s open', async (_name, text) => {
    let opened: Iterator<unknown> | undefined
    const { receiver, database, path } = await setUp((context) => {
      insert(context)
      if (opened !== undefined) return
      opened = (context.transaction.prepare(text) as unknown as ReadableStatement).iterate()
      opened.next()
    })
    const written = () => open(path).prepare('SELECT * FROM effects').all().length
    const first = await receiver.process(event)
    // Of the two drivers, node:sqlite commits while rows are being read.
    if (first.status === 'failed') {
      expect(first).toMatchObject({
        error: { code: 'transaction_ended', message: expect.stringMatching(/iterator/) },
      })
      expect(written()).toBe(0)
      expect((await receiver.process(event)).status).toBe('store-failed')
    }
    opened?.return?.()
    expect(['applied', 'duplicate']).toContain((await receiver.process(event)).status)
    expect(written()).toBe(1)
    expect(database.isTransaction ?? database.inTransaction).toBe(false)
  })

  it('rolls both back if the handler throws after it has written', async () => {
    let attempts = 0
    const { receiver, effects } = await setUp((context) => {
      insert(context)
      attempts += 1
      if (attempts === 1) throw new Error('out of paper')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: new Error('out of paper') })
    expect(effects()).toBe(0)
    expect((await receiver.process(event)).status).toBe('applied')
    expect(effects()).toBe(1)
  })

  it('refuses a handler that returns a promise, and rolls back what it has written', async () => {
    const { receiver, effects } = await setUp(async (context) => {
      insert(context)
    })
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: { code: 'option_invalid', message: expect.stringMatching(/returned a promise.*prepare/) },
    })
    expect(effects()).toBe(0)
  })

  it('fails an event whose handler has ended the transaction', async () => {
    const { receiver, effects } = await setUp((context) => {
      insert(context)
      context.transaction.exec('ROLLBACK')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect(effects()).toBe(0)
  })

  it.each(['ROLLBACK; BEGIN', 'COMMIT; BEGIN IMMEDIATE', 'ROLLBACK; BEGIN; SAVEPOINT notewire_event'])(
    'fails an event whose handler runs %s',
    async (text) => {
      const { receiver } = await setUp((context) => {
        insert(context)
        context.transaction.exec(text)
      })
      expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    },
  )

  it.each([
    ['returns', () => undefined],
    [
      'throws',
      () => {
        throw new Error('out of paper')
      },
    ],
  ])('applies an event again whose handler has run COMMIT and %s', async (_name, then) => {
    let attempts = 0
    const { receiver, effects } = await setUp((context) => {
      insert(context)
      attempts += 1
      if (attempts > 1) return
      context.transaction.exec('COMMIT')
      then()
    })
    expect((await receiver.process(event)).status).toBe('failed')
    expect((await receiver.process(event)).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect(effects()).toBe(2)
  })

  it('leaves an event processed that another process marks after the handler has run ROLLBACK', async () => {
    const path = temporaryPath(onTestFinished)
    const { receiver } = await setUp(({ transaction }) => {
      transaction.exec('ROLLBACK')
      open(path).exec(`INSERT INTO notewire_events (integration, event_id, fencing_token, kept_until)
        VALUES ('default', 'one', 1, 8000000000000000)`)
    }, path)
    expect((await receiver.process(event)).status).toBe('failed')
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it('counts a deferred foreign key that fails at COMMIT as a failure of the handler', async () => {
    const { receiver, database } = await setUp(({ transaction }) =>
      transaction.prepare('INSERT INTO children VALUES (7)').run(),
    )
    database.exec(`PRAGMA foreign_keys = ON; CREATE TABLE parents (id INTEGER PRIMARY KEY);
      CREATE TABLE children (id INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)`)
    const outcome = await receiver.process(event)
    expect(outcome.status).toBe('failed')
    expect(jobResult(outcome).status).toBe('again')
    database.exec('INSERT INTO parents VALUES (7)')
    expect((await receiver.process(event)).status).toBe('applied')
  })

  it('applies events once that two connections process at once, one at a time', async () => {
    let open = 0
    const alone: Handler = (context) => {
      open += 1
      expect(open).toBe(1)
      insert(context)
      open -= 1
    }
    const one = await setUp(alone)
    const other = await setUp(alone, one.path)
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, (_, index) => [one, other][index % 2]?.receiver.process(event)),
    )
    expect(outcomes.map((outcome) => outcome?.status).sort()).toEqual(['applied', ...Array(31).fill('duplicate')])
    expect(one.effects()).toBe(1)
  })

  it('waits for another writer without blocking the thread', async () => {
    const { receiver, path } = await setUp(insert)
    const writer = open(path)
    writer.exec('BEGIN IMMEDIATE')
    const outcome = receiver.process(event)
    await new Promise((resolve) => setTimeout(resolve, 100))
    writer.exec('COMMIT')
    expect((await outcome).status).toBe('applied')
  })

  it('answers busy while a lease is live, and to a claim with an earlier token lost', async () => {
    const { receiver, path, effects } = await setUp(insert)
    const leases = sqliteStore(path)
    const change = { kind: 'note.updated', revision: 7 } as const
    const note = { noteId: event.data.note_id, change }
    const request = { integration: 'default', eventId: 'one', note, gate: 'strict', leaseMs: 500, keepMs: 1e9 } as const
    const claim = await leases.claim(request)
    expect((await receiver.process(event)).status).toBe('applied')
    expect(claim.status === 'claimed' && (await leases.commit(claim.claim))).toBe('lost')
    expect((await leases.claim(request)).status).toBe('duplicate')
    expect(effects()).toBe(1)
    await leases.close()
  })

  it.each(['one', 'two'])(
    'does not apply an event after the commit of an expired lease of event %s, which it had seen',
    async (eventId) => {
      const { store, path } = await setUp(insert)
      const leases = sqliteStore(path)
      const note = { noteId: 'note_1', change: { kind: 'note.updated', revision: 7 } } as const
      const request = { integration: 'default', eventId, note, gate: 'strict', leaseMs: 0, keepMs: 1e9 } as const
      const claim = await leases.claim(request)
      const look = await store.look({ ...request, eventId: 'one' })
      if (look.status !== 'new' || claim.status !== 'claimed') throw new Error('neither is busy')
      expect(await leases.commit(claim.claim)).toBe('committed')
      const work = { call: () => undefined, change: () => undefined, givenUp: new Promise<void>(() => undefined) }
      expect(await store.transact({ ...request, eventId: 'one' }, look.seen, work)).toEqual({ status: 'changed' })
      await leases.close()
    },
  )

  it('commits a forgotten event in one of two concurrent transactions', async () => {
    await expectOneToCommit((await setUp(insert)).store)
  })

  it('keeps a record as long as the longest of its windows', async () => {
    await expectLongestWindow((await setUp(insert)).store)
  })

  it('decides as the store in memory does, mixed with leases on the same tables', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const { store, database, path } = await setUp(insert)
        const leases = sqliteStore(betterSqlite(open(path)))
        await expectTransactionsLikeLeases(drawn, store, leases)
        await leases.close()
        ;(database as DatabaseSync).close()
      }),
      { numRuns: 60 },
    )
  })
})

describe('sqliteTransactions', () => {
  it('refuses what is no connection', () => {
    expect(() => sqliteTransactions('app.db' as never)).toThrow(/needs a connection, such as new DatabaseSync/)
    expect(() => sqliteTransactions({ prepare: () => undefined, batch: () => undefined } as never)).toThrow(/D1 has no/)
  })
})
