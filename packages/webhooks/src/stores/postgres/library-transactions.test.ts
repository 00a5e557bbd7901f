import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { statusOnceFree } from '../../../fixtures/status-once-free.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { createReceiver } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { type PostgresConnection, postgresTransactions } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
  await pool.query('CREATE TABLE effects (event_id text NOT NULL)')
})
beforeEach(() => pool.query('TRUNCATE effects, notewire_events, notewire_notes'))
afterAll(() => databases.cleanUp.disposeAsync())

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })

/** The transaction of a library: its statements run on a connection that other transactions use afterwards. */
interface LibraryTransaction {
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Runs work within a savepoint. */
  transaction(work: (nested: LibraryTransaction) => Promise<void>): Promise<void>
}

/** A query builder as most are: it commits when the work resolves, rolls back when it rejects, and wraps errors. */
async function transaction(work: (transaction: LibraryTransaction) => Promise<void>, from = pool): Promise<void> {
  const client = await from.connect()
  try {
    await client.query('BEGIN')
    await work(wrapped(client))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}

function wrapped(client: PoolClient | Pool): LibraryTransaction {
  const execute: LibraryTransaction['execute'] = (text, values) =>
    client.query(text, values).catch((cause) => {
      throw new Error('the statement failed', { cause })
    })
  return {
    execute,
    async transaction(work) {
      await execute('SAVEPOINT nested')
      try {
        await work(wrapped(client))
        await execute('RELEASE SAVEPOINT nested')
      } catch (error) {
        await execute('ROLLBACK TO SAVEPOINT nested')
        throw error
      }
    },
  }
}

const connectionOf = (transaction: LibraryTransaction): PostgresConnection => ({
  query: (text, values) => transaction.execute(text, values),
})

type Handler = (transaction: LibraryTransaction) => unknown

function receiverWith(handler: Handler, open = transaction, handlerTimeoutMs?: number) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(open, connectionOf),
    logger: recordingLogger(),
    prepare: () => 'prepared',
    on: { 'note.updated': (_event, context) => handler(context.transaction) as Promise<void> },
    handlerTimeoutMs,
  })
}

const insert: Handler = ({ execute }) => execute("INSERT INTO effects VALUES ('one')")

async function effects(): Promise<number> {
  return (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
}

describe('the transactions of a library', () => {
  it('contain the rows of the handler and the record of the event', async () => {
    const receiver = receiverWith(insert)
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => statusOnceFree(receiver, event)))
    expect(outcomes.sort()).toEqual(['applied', ...Array(15).fill('duplicate')])
    expect(await effects()).toBe(1)
  })

  it('are refused if the function opens none, and the handler is not called', async () => {
    let calls = 0
    const receiver = receiverWith(
      () => (calls += 1),
      (work) => work(wrapped(pool)),
    )
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { option: 'transaction' } })
    expect(calls).toBe(0)
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })

  it.each([
    ['catches the error of a statement', (work: LibraryTransaction) => work.execute('SELECT 1 / 0').catch(() => 0)],
    ['rolls back', (work: LibraryTransaction) => work.execute('ROLLBACK')],
    ['rolls back and begins', (work: LibraryTransaction) => work.execute('ROLLBACK; BEGIN')],
    [
      'rolls back, begins and writes',
      async (work: LibraryTransaction) => {
        await work.execute('ROLLBACK; BEGIN; SAVEPOINT notewire_event')
        await insert(work)
      },
    ],
  ])('fail if the handler %s', async (_name, disturb) => {
    const receiver = receiverWith(async (work) => {
      await insert(work)
      await disturb(work)
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect(await effects()).toBe(0)
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })

  it.each([
    ['COMMIT', 'returns'],
    ['COMMIT; BEGIN', 'returns'],
    ['COMMIT', 'throws'],
  ])('are made again if the handler runs %s and %s', async (text, end) => {
    const receiver = receiverWith(async (work) => {
      await insert(work)
      await work.execute(text)
      if (end === 'throws') throw new Error('out of paper')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed' })
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
    expect((await receiverWith(insert).process(event)).status).toBe('duplicate')
    expect(await effects()).toBe(2)
  })

  it('fail if a statement that nobody waits for fails before the COMMIT, which the library then takes for done', async () => {
    const receiver = receiverWith(insert, (work) =>
      transaction(async (given) => {
        await work(given)
        await given.execute('SELECT 1 / 0').catch(() => undefined)
      }),
    )
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect(await effects()).toBe(0)
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })

  it('are made again if the handler runs COMMIT and sets another revision', async () => {
    const receiver = createReceiver({
      secret: TEST_SECRET,
      store: postgresTransactions(transaction, connectionOf),
      logger: recordingLogger(),
      on: {
        'note.updated': async (_event, context) => {
          await context.transaction.execute('COMMIT')
          context.setAppliedRevision(9)
        },
      },
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect((await receiverWith(insert).process({ ...event, data: { ...event.data, revision: 10 } })).status).toBe(
      'applied',
    )
  })

  it('do not forget that another process has applied the event after the handler has run ROLLBACK', async () => {
    const receiver = receiverWith(async (work) => {
      await work.execute('ROLLBACK')
      expect((await receiverWith(insert).process(event)).status).toBe('applied')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect((await receiverWith(insert).process(event)).status).toBe('duplicate')
    expect(await effects()).toBe(1)
  })

  it('are refused after the handler has ended, and the event fails, if it does not wait for its second statement', async () => {
    const late: unknown[] = []
    const write = async (work: LibraryTransaction) => {
      await insert(work)
      await insert(work)
    }
    const receiver = receiverWith((work) => void write(work).catch((error) => late.push(error)))
    const error = { code: 'transaction_ended', message: expect.stringMatching(/await is missing/) }
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error })
    expect(late).toMatchObject([error])
    expect(await effects()).toBe(0)
  })

  it('contain what a transaction within them writes', async () => {
    const receiver = receiverWith(async (work) => {
      await work.transaction(async (nested) => void (await insert(nested)))
      await work.transaction(async (nested) => void (await nested.execute('SELECT 1 / 0'))).catch(() => undefined)
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })

  it.each(['returns', 'throws'])('are complete if a handler that does not wait for one within them %s', async (end) => {
    const late: unknown[] = []
    const single = databases.poolOf(pool.options.connectionString ?? '', { max: 1 })
    const receiver = receiverWith(
      async (work) => {
        const nesting = work.transaction(async (nested) => {
          await insert(nested)
          await sleep(20)
          await insert(nested)
        })
        nesting.catch((error) => late.push(error))
        if (end === 'throws') throw new Error('out of paper')
      },
      (work) => transaction(work, single),
    )
    const message = end === 'throws' ? 'out of paper' : expect.stringMatching(/await/)
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { message } })
    expect(late).toMatchObject([{ code: 'transaction_ended' }])
    const other = receiverWith(insert, (work) => transaction(work, single))
    expect((await other.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })

  it('do not end the process if their connection breaks, if the pool is passed', async () => {
    const own = databases.poolOf(pool.options.connectionString ?? '')
    own.on('error', () => undefined)
    const receiver = createReceiver({
      secret: TEST_SECRET,
      store: postgresTransactions((work) => transaction(work, own), connectionOf, { pool: own }),
      logger: recordingLogger(),
      on: {
        'note.updated': async (_event, context) => {
          await context.transaction.execute("INSERT INTO effects VALUES ('one')")
          await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'")
          await sleep(100)
        },
      },
    })
    expect((await receiver.process(event)).status).not.toBe('applied')
    expect(await effects()).toBe(0)
  })

  it('are in conflict if the cause of a wrapped error is a deadlock', async () => {
    let attempts = 0
    const receiver = receiverWith(async (work) => {
      attempts += 1
      if (attempts === 1) await work.execute("DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$")
      await insert(work)
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(attempts).toBe(2)
  })

  it('are aborted when the handler is given up: its locks are free, and it can write nothing more', async () => {
    const late: unknown[] = []
    const receiver = receiverWith(
      async (work) => {
        await insert(work)
        await sleep(500)
        late.push(await Promise.resolve(insert(work)).catch((error: Error) => error.cause))
      },
      transaction,
      100,
    )
    expect((await receiver.process(event)).status).toBe('handler-timeout')
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
    await expect.poll(() => late).toMatchObject([{ code: '25P02' }])
    expect(await effects()).toBe(1)
  })
})
