import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { createReceiver } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { postgresTransactions } from './index.ts'

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
const ignore = () => undefined
const never = new Promise<never>(() => undefined)

interface Nesting {
  query: PoolClient['query']
  /** Runs work within a savepoint. */
  transaction(work: (nested: Nesting) => unknown): Promise<void>
}

/** A library. Some statements of its own wait until the test lets them go on. */
function libraryOf(from: Pool, waiting: Readonly<Record<string, Promise<unknown>>> = {}) {
  return async (work: (transaction: Nesting) => Promise<void>): Promise<void> => {
    const client = await from.connect()
    const own = async (text: string) => {
      await waiting[text]
      await client.query(text)
    }
    const nesting: Nesting = {
      query: client.query.bind(client) as PoolClient['query'],
      async transaction(nested) {
        await client.query('SAVEPOINT nested')
        await nested(nesting)
        await client.query('RELEASE SAVEPOINT nested')
      },
    }
    client.on('error', ignore)
    try {
      await own('BEGIN')
      await work(nesting)
      await own('COMMIT')
    } catch (error) {
      await own('ROLLBACK').catch(() => undefined)
      throw error
    } finally {
      client.off('error', ignore)
      client.release()
    }
  }
}

type Handler = (transaction: Nesting) => unknown

const insert: Handler = (transaction) => transaction.query("INSERT INTO effects VALUES ('one')")

function receiverWith(handler: Handler, open = libraryOf(pool), from?: Pool) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(open, (transaction) => ({ query: (text, values) => transaction.query(text, values) }), {
      pool: from,
    }),
    logger: recordingLogger(),
    on: { 'note.updated': (_event, context) => handler(context.transaction) as Promise<void> },
  })
}

async function effects(): Promise<number> {
  return (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
}

describe('a library that does not answer', () => {
  // The look is one transaction, too.
  const afterLook = (first: Promise<unknown>, text: string) => {
    let opened = 0
    const lost = libraryOf(pool, { [text]: first })
    const whole = libraryOf(pool)
    return (work: (transaction: Nesting) => Promise<void>) => {
      opened += 1
      return opened === 2 ? lost(work) : whole(work)
    }
  }

  it.each([
    ['BEGIN', 0, 'applied'],
    ['COMMIT', 1, 'duplicate'],
    ['ROLLBACK', 0, 'applied'],
  ])(
    'to %s keeps no event waiting, and its late answer changes nothing',
    { timeout: 20_000 },
    async (text, calls, next) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      let called = 0
      const handler: Handler = async (transaction) => {
        called += 1
        await insert(transaction)
        if (text === 'ROLLBACK' && called === 1) throw new Error('out of paper')
      }
      const receiver = receiverWith(handler, afterLook(promise, text))
      const status = text === 'ROLLBACK' ? 'failed' : 'store-failed'
      expect(await receiver.process(event)).toMatchObject({ status })
      expect(called).toBe(text === 'BEGIN' ? 0 : 1)
      resolve()
      await expect
        .poll(async () => (await pool.query("SELECT FROM pg_stat_activity WHERE state LIKE 'idle in%'")).rowCount)
        .toBe(0)
      expect(await effects()).toBe(calls)
      expect((await receiver.process(event)).status).toBe(next)
      expect(await effects()).toBe(1)
    },
  )

  it('leaves room for other events', { timeout: 20_000 }, async () => {
    const few = databases.poolOf(pool.options.connectionString ?? '', { max: 2 })
    let opened = 0
    const open = (work: (transaction: Nesting) => Promise<void>) => {
      opened += 1
      return opened === 2 ? never : libraryOf(few)(work)
    }
    const receiver = receiverWith(insert, open, few)
    expect(await receiver.process(event)).toMatchObject({ status: 'store-failed', error: { code: 'postgres_timeout' } })
    expect((await receiver.process(event)).status).toBe('applied')
  })
})

describe('a nested transaction that never ends', () => {
  it('fails its event, which is applied later', { timeout: 30_000 }, async () => {
    const receiver = receiverWith((transaction) => void transaction.transaction(() => never))
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })
})

describe('the connections of a library', () => {
  it.each([1, 2, 12])('may be %s for 12 deliveries at once', async (max) => {
    const few = databases.poolOf(pool.options.connectionString ?? '', { max })
    for (const from of [few, undefined]) {
      await pool.query('TRUNCATE effects, notewire_events, notewire_notes')
      const receiver = receiverWith(insert, libraryOf(few), from)
      const deliveries = Array.from({ length: 60 }, (_, index) =>
        receiver.process(
          anEvent({ kind: 'note.updated', eventId: `event ${index % 12}`, noteId: `note ${index % 12}` }),
        ),
      )
      const statuses = (await Promise.all(deliveries)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 'applied')).toHaveLength(12)
      expect(await effects()).toBe(12)
      expect(few.idleCount).toBe(few.totalCount)
    }
  })
})
