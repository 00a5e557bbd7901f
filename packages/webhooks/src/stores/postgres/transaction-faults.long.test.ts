import { needs, openPool, startPgBouncer } from 'notewire-test-servers'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { statusOnceFree } from '../../../fixtures/status-once-free.ts'
import { startFreezableProxy } from '../../../fixtures/stores/postgres/freezable-proxy.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { createReceiver, jobResult, type TransactionContext } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { postgresStore, postgresTransactions } from './index.ts'

let databases: TestDatabases
let url: string
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.emptyDatabase()
  pool = databases.poolOf(url, { max: 20 })
  await postgresStore(pool).migrate()
  await pool.query(
    'CREATE TABLE effects (event_id text NOT NULL); CREATE TABLE counters (id int PRIMARY KEY, count int)',
  )
})
beforeEach(async () => {
  await pool.query('TRUNCATE effects, counters, notewire_events, notewire_notes')
  await pool.query('INSERT INTO counters VALUES (1, 0), (2, 0)')
})
afterAll(() => databases.cleanUp.disposeAsync())

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })
const eventOf = (index: number) =>
  anEvent({ kind: 'note.updated', eventId: `event ${index}`, noteId: `note ${index}`, revision: 1 })

type Handler = (context: TransactionContext<PoolClient>, eventId: string) => unknown

function receiverWith(handler: Handler, database = pool, handlerTimeoutMs?: number) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(database),
    logger: recordingLogger(),
    on: { 'note.updated': ({ event_id }, context) => handler(context, event_id) as Promise<void> },
    handlerTimeoutMs,
  })
}

const insert: Handler = ({ transaction }, eventId) => transaction.query('INSERT INTO effects VALUES ($1)', [eventId])

async function effects(): Promise<number> {
  return (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
}

describe('a handler that disturbs its transaction', () => {
  it.each([
    ['catches the error of a statement', (transaction: PoolClient) => transaction.query('SELECT 1 / 0').catch(() => 0)],
    ['rolls back', (transaction: PoolClient) => transaction.query('ROLLBACK')],
  ])('and %s fails, and nothing is written', async (_name, disturb) => {
    let attempts = 0
    const receiver = receiverWith(async (context, eventId) => {
      await insert(context, eventId)
      attempts += 1
      if (attempts === 1) await disturb(context.transaction)
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: 'transaction_ended' } })
    expect(await effects()).toBe(0)
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })

  it('and rolls back to a savepoint of the receiver fails, so that its record is not lost', async () => {
    const receiver = receiverWith(async (context, eventId) => {
      await context.transaction.query('ROLLBACK TO notewire_event')
      await insert(context, eventId)
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: { code: '3B001' } })
    expect(await effects()).toBe(0)
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })

  it('may use savepoints', async () => {
    const receiver = receiverWith(async (context, eventId) => {
      const { transaction } = context
      await transaction.query('SAVEPOINT mine')
      await transaction.query('SELECT 1 / 0').catch(() => transaction.query('ROLLBACK TO mine'))
      await insert(context, eventId)
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })
})

describe('an error that only COMMIT shows', () => {
  it.each([
    ['P0001', 'failed', 'again'],
    ['23503', 'failed', 'again'],
    ['22012', 'failed', 'again'],
    ['53200', 'store-failed', 'later'],
    ['57014', 'store-failed', 'later'],
    ['58030', 'store-failed', 'later'],
    ['XX000', 'store-failed', 'later'],
    ['08006', 'store-failed', 'later'],
    ['25006', 'store-failed', 'later'],
  ])('with the SQLSTATE %s has the outcome %s', async (code, status, job) => {
    await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no' USING ERRCODE = '${code}'; END $$;
      CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()`)
    const outcome = await receiverWith(insert).process(event)
    await pool.query('DROP FUNCTION refuse CASCADE')
    expect(outcome).toMatchObject({ status, error: { code } })
    expect(jobResult(outcome).status).toBe(job)
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })
})

describe('the settings of a transaction', () => {
  it('hold for the transaction, and not for the next user of the connection', async () => {
    const single = databases.poolOf(url, { max: 1 })
    const show = async (connection: Pick<Pool, 'query'>) => {
      const settings = ['lock_timeout', 'idle_in_transaction_session_timeout']
      return (await connection.query(`SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`)}`))
        .rows[0]
    }
    let inside: unknown
    const receiver = receiverWith(async ({ transaction }) => {
      inside = await show(transaction)
    }, single)
    await receiver.process(event)
    expect(inside).toEqual({ lock_timeout: '2s', idle_in_transaction_session_timeout: '10s' })
    expect(await show(single)).toEqual({ lock_timeout: '0', idle_in_transaction_session_timeout: '0' })
  })
})

describe('conflicts', () => {
  it('answer busy after 2 s if another transaction holds the note', async () => {
    await receiverWith(insert).process(event)
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM notewire_notes FOR UPDATE')
    const began = performance.now()
    const later = anEvent({ kind: 'note.updated', eventId: 'two', revision: 8 })
    expect(await receiverWith(insert).process(later)).toMatchObject({ status: 'busy', error: { code: '55P03' } })
    expect(performance.now() - began).toBeGreaterThan(1_900)
    expect(performance.now() - began).toBeLessThan(4_000)
    await other.query('ROLLBACK')
    other.release()
    expect((await receiverWith(insert).process(later)).status).toBe('applied')
  })

  it('of two handlers that wait for each other are no failure: both events are applied', async () => {
    let waiting = 0
    const both = Promise.withResolvers<void>()
    const receiver = receiverWith(async (context, eventId) => {
      const [first, second] = eventId === 'event 1' ? [1, 2] : [2, 1]
      const count = (id: number) =>
        context.transaction.query('UPDATE counters SET count = count + 1 WHERE id = $1', [id])
      await count(first)
      waiting += 1
      if (waiting === 2) both.resolve()
      await both.promise
      await count(second)
    })
    const outcomes = await Promise.all([1, 2].map((index) => receiver.process(eventOf(index))))
    expect(outcomes.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect((await pool.query('SELECT count FROM counters')).rows).toEqual([{ count: 2 }, { count: 2 }])
  })

  it.each(['repeatable read', 'serializable'])('of transactions that are %s are no failure', async (isolation) => {
    const options: PoolConfig = { options: `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}` }
    const isolated = databases.poolOf(url, options)
    const receiver = receiverWith(async (context, eventId) => {
      const { rows } = await context.transaction.query('SELECT count FROM counters WHERE id = 1')
      await context.transaction.query('UPDATE counters SET count = $1 WHERE id = 1', [rows[0].count + 1])
      await insert(context, eventId)
    }, isolated)
    const indexes = Array.from({ length: 4 }, (_, index) => index)
    const outcomes = await Promise.all(indexes.map((index) => statusOnceFree(receiver, eventOf(index))))
    expect(outcomes).toEqual(indexes.map(() => 'applied'))
    expect((await pool.query('SELECT count FROM counters WHERE id = 1')).rows).toEqual([{ count: indexes.length }])
  })
})

describe('the connections of the pool', () => {
  it('may be one: nothing in a transaction waits for a second one', async () => {
    const receiver = receiverWith(insert, databases.poolOf(url, { max: 1 }))
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => receiver.process(eventOf(index))))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['applied']))
    expect(await effects()).toBe(20)
  })

  it('are not all in transactions: a handler may ask the pool for one more', async () => {
    const few = databases.poolOf(url, { max: 3 })
    let open = 0
    let most = 0
    const receiver = receiverWith(async (context, eventId) => {
      open += 1
      most = Math.max(most, open)
      await few.query('SELECT pg_sleep(0.01)')
      await insert(context, eventId)
      open -= 1
    }, few)
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => receiver.process(eventOf(index))))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['applied']))
    expect(most).toBe(2)
  })

  it('are not all in transactions if two receivers share the pool', async () => {
    const few = databases.poolOf(url, { max: 3 })
    let open = 0
    let most = 0
    const handle: Handler = async (context, eventId) => {
      open += 1
      most = Math.max(most, open)
      await few.query('SELECT pg_sleep(0.01)')
      await insert(context, eventId)
      open -= 1
    }
    const receivers = [receiverWith(handle, few), receiverWith(handle, few)]
    const deliveries = Array.from({ length: 20 }, (_, index) => receivers[index % 2]?.process(eventOf(index)))
    expect(new Set((await Promise.all(deliveries)).map((outcome) => outcome?.status))).toEqual(new Set(['applied']))
    expect(most).toBe(2)
  })

  it('may be those of PgBouncer in transaction mode', needs('pgbouncer'), async () => {
    await using bouncer = await startPgBouncer(url)
    const bounced = openPool(bouncer.url)
    const receiver = receiverWith(insert, bounced)
    const deliveries = Array.from({ length: 60 }, (_, index) => receiver.process(eventOf(index % 20)))
    const outcomes = await Promise.all(deliveries)
    expect(outcomes.filter(({ status }) => status === 'applied')).toHaveLength(20)
    expect(outcomes.filter(({ status }) => status === 'duplicate')).toHaveLength(40)
    expect(await effects()).toBe(20)
    await bounced.end()
  })
})

describe('a handler that takes longer than handlerTimeoutMs', () => {
  it('is rolled back, and what it writes later reaches no other transaction', async () => {
    const single = databases.poolOf(url, { max: 1 })
    const resume = Promise.withResolvers<void>()
    const late: unknown[] = []
    const receiver = receiverWith(
      async (context, eventId) => {
        await insert(context, eventId)
        if (eventId !== 'one') return
        await resume.promise
        late.push(await Promise.resolve(insert(context, 'too late')).catch((error: Error) => error))
      },
      single,
      200,
    )
    expect((await receiver.process(event)).status).toBe('handler-timeout')
    const next = receiver.process(eventOf(2))
    resume.resolve()
    expect((await next).status).toBe('applied')
    expect((await pool.query('SELECT event_id FROM effects')).rows).toEqual([{ event_id: 'event 2' }])
    await expect.poll(() => late).toEqual([expect.any(Error)])
    // The locks are free.
    expect((await receiverWith(insert).process(event)).status).toBe('applied')
  })
})

describe('the locks of a worker whose network drops packets', () => {
  it('are free within 20 s, and the event is then applied by another worker', { timeout: 40_000 }, async () => {
    await using proxy = await startFreezableProxy(databases.server.port)
    const throughProxy = new URL(url)
    throughProxy.port = String(proxy.port)
    const remote = openPool(throughProxy.href)
    const written = Promise.withResolvers<void>()
    const receiver = receiverWith(
      async (context, eventId) => {
        await insert(context, eventId)
        proxy.freeze()
        written.resolve()
        await insert(context, eventId)
      },
      remote,
      30_000,
    )
    const lost = receiver.process(event)
    await written.promise
    const began = performance.now()
    for (let status = ''; status !== 'applied'; ) status = (await receiverWith(insert).process(event)).status
    const tookMs = performance.now() - began
    expect(tookMs).toBeLessThan(20_000)
    expect(tookMs).toBeGreaterThan(5_000)
    expect(await effects()).toBe(1)
    await receiver.close({ graceMs: 0 })
    expect((await lost).status).toBe('closing')
  })
})

describe('a server that is restarted', () => {
  it('loses nothing and applies nothing twice', { timeout: 60_000 }, async () => {
    const own = await startDatabases({ durable: true })
    await using _ = own.cleanUp
    const durable = await own.migratedPool()
    await durable.query('CREATE TABLE effects (event_id text NOT NULL)')
    const receiver = receiverWith(async (context, eventId) => {
      await insert(context, eventId)
      await context.transaction.query('SELECT pg_sleep(0.02)')
    }, durable)
    const all = Array.from({ length: 60 }, (_, index) => eventOf(index))
    const deliver = async (index: number) => {
      for (let status = ''; status !== 'applied' && status !== 'duplicate'; ) {
        status = (await receiver.process(all[index] ?? event)).status
      }
    }
    const delivered = Promise.all(all.map((_, index) => deliver(index)))
    await new Promise((resolve) => setTimeout(resolve, 60))
    await own.server.crashAndRestart()
    await delivered
    const { rows } = await durable.query('SELECT event_id, count(*)::int FROM effects GROUP BY event_id')
    expect(rows).toHaveLength(60)
    expect(rows.filter(({ count }) => count !== 1)).toEqual([])
  })
})
