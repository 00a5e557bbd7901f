import type { NoResponse } from '@notewire/protocol'
import { isInstalled, openPool, startPgBouncer } from 'notewire-test-servers'
import type { Pool, PoolClient } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { ClaimLostError, createReceiver, type HandlerContext, TransactionNotCommittedError } from '../../index.ts'
import type { Claim } from '../../interfaces/store.ts'
import { anEvent } from '../../testing/an-event.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-databases.ts'
import { type PostgresConnection, postgresStore } from './index.ts'

let databases: TestDatabases
let url: string
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.emptyDatabase()
  pool = databases.poolOf(url)
  await postgresStore(pool).migrate()
  await pool.query('CREATE TABLE effects (event_id text NOT NULL)')
})
beforeEach(() => pool.query('TRUNCATE effects, notewire_events, notewire_notes'))
afterEach(() => {
  // A failed test leaves transactions open, and the pool would wait for their connections at the end.
  for (const client of open) client.release(true)
  open.clear()
})
afterAll(() => databases.cleanUp.disposeAsync())

/** The connections of `begun` until `ended`. */
const open = new Set<PoolClient>()

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })

describe('context.commit', () => {
  it('takes effect when the transaction commits', async () => {
    const store = postgresStore(pool)
    const claim = await claimOf('one', { revision: 7 })
    const client = await begun()
    expect(await store.commitIn(client, claim)).toBe('committed')
    expect((await store.claim(claim.request)).status).toBe('busy')
    await ended(client, 'COMMIT')
    expect((await store.claim(claim.request)).status).toBe('duplicate')
    expect(await store.claim({ ...claim.request, eventId: 'two' })).toEqual({ status: 'stale', appliedRevision: 7 })
  })

  it('has no effect if the transaction rolls back: the claim is still current', async () => {
    const store = postgresStore(pool)
    const claim = await claimOf('one', { revision: 7 })
    const client = await begun()
    await store.commitIn(client, claim)
    await ended(client, 'ROLLBACK')
    expect((await store.claim(claim.request)).status).toBe('busy')
    expect(await store.renew(claim, 20_000)).toBe('renewed')
    expect(await store.commit(claim)).toBe('committed')
  })

  it('applies an event once if it is delivered twice', async () => {
    const receiver = receiverWith((context) => apply(context))
    expect((await receiver.process(event)).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect(await effects()).toBe(1)
  })

  it.runIf(isInstalled('pgbouncer'))('does the same through PgBouncer in transaction mode', async () => {
    await using bouncer = await startPgBouncer(url)
    const bounced = openPool(bouncer.url)
    const receiver = receiverWith((context) => apply(context, bounced), bounced)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => receiver.process(event)))
    expect(outcomes.filter(({ status }) => status === 'applied')).toHaveLength(1)
    expect(outcomes.filter(({ status }) => status === 'duplicate')).toHaveLength(19)
    expect(await effects()).toBe(1)
    await bounced.end()
  })

  it('is rolled back with the rows if the handler fails after it', async () => {
    let attempts = 0
    const receiver = receiverWith((context) =>
      inTransaction(async (client) => {
        attempts += 1
        await client.query('INSERT INTO effects VALUES ($1)', ['one'])
        await context.commit(client)
        if (attempts === 1) throw new Error('out of paper')
      }),
    )
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: new Error('out of paper') })
    expect(await effects()).toBe(0)
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })

  it('throws if the claim is lost, which rolls the rows back', async () => {
    const store = postgresStore(pool)
    const receiver = receiverWith((context) =>
      inTransaction(async (client) => {
        await client.query('INSERT INTO effects VALUES ($1)', ['late'])
        await pool.query("UPDATE notewire_events SET lease_ends_at = clock_timestamp() - interval '1 minute'")
        await pool.query("UPDATE notewire_notes SET lease_ends_at = clock_timestamp() - interval '1 minute'")
        const next = await claimOf('one', { revision: 7 })
        await expect(context.commit(client)).rejects.toThrow(ClaimLostError)
        expect(await store.commit(next)).toBe('committed')
        throw new Error('rolls back')
      }),
    )
    expect((await receiver.process(event)).status).toBe('claim-lost')
    expect(await effects()).toBe(0)
  })

  it.each([
    { driver: 'pg', connectionOf: (client: PoolClient): PostgresConnection => client },
    { driver: 'Drizzle, which wraps errors', connectionOf: withWrappedErrors },
  ])('is lost if another worker claims the event while the commit runs: $driver', async ({ connectionOf }) => {
    const claim = await claimOf('one', { revision: 7 })
    const [client, other] = [await begun(), await begun()]
    await other.query('UPDATE notewire_events SET fencing_token = fencing_token + 1')
    const [result] = await Promise.all([
      postgresStore(pool).commitIn(connectionOf(client), claim),
      expect
        .poll(waitingForLocks)
        .toBe(1)
        .then(() => ended(other, 'COMMIT')),
    ])
    expect(result).toBe('lost')
    await ended(client, 'ROLLBACK')
  })

  it('makes the event fail if its transaction is rolled back without an error', async () => {
    const receiver = receiverWith(async (context) => {
      const client = await begun()
      await context.commit(client)
      await ended(client, 'ROLLBACK')
    })
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: expect.any(TransactionNotCommittedError),
    })
  })

  it('makes the event fail if its transaction is still open, without waiting for it', async () => {
    const clients: PoolClient[] = []
    const receiver = receiverWith(async (context) => {
      const client = await begun()
      clients.push(client)
      await context.commit(client)
    })
    // A query that waited for the open transaction would time out, and the status would be store-failed.
    expect(await receiver.process(event)).toMatchObject({
      status: 'failed',
      error: expect.any(TransactionNotCommittedError),
    })
    // No other worker can claim the event while the transaction is open.
    expect((await postgresStore(pool).claim(requestOf('one', { revision: 7 }))).status).toBe('busy')
    for (const client of clients) await ended(client, 'COMMIT')
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it('does not make other operations wait, even if its transaction is open after the lease has expired', async () => {
    const store = postgresStore(pool)
    const claim = await claimOf('one', { revision: 7, leaseMs: 0 })
    const client = await begun()
    await store.commitIn(client, claim)
    // An operation that waited for the open transaction would time out and reject.
    expect((await store.claim(claim.request)).status).toBe('busy')
    expect((await store.claim({ ...claim.request, eventId: 'two' })).status).toBe('busy')
    expect(await store.renew(claim, 20_000)).toBe('renewed')
    await store.release(claim)
    await ended(client, 'COMMIT')
    expect((await store.claim(claim.request)).status).toBe('duplicate')
  })

  it('rejects after two seconds if another transaction of the handler has committed the same claim', async () => {
    const store = postgresStore(pool)
    const claim = await claimOf('one', { revision: 7 })
    const [first, second] = [await begun(), await begun()]
    await store.commitIn(first, claim)
    const began = performance.now()
    // The SQLSTATE of a lock timeout, not the store's own error after five seconds.
    await expect(store.commitIn(second, claim)).rejects.toMatchObject({ code: '55P03' })
    expect(performance.now() - began).toBeGreaterThan(1_900)
    await ended(second, 'ROLLBACK')
    await ended(first, 'COMMIT')
  })

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])('works in a transaction that is %s', async (isolation) => {
    const store = postgresStore(pool)
    const claim = await claimOf('one', { revision: 7 })
    const client = await begun(`BEGIN ISOLATION LEVEL ${isolation}`)
    await client.query('SELECT count(*) FROM effects')
    expect(await store.commitIn(client, claim)).toBe('committed')
    await ended(client, 'COMMIT')
    expect((await store.claim(claim.request)).status).toBe('duplicate')
  })

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'rejects in a transaction that is %s if another worker took over the claim',
    async (isolation) => {
      const store = postgresStore(pool)
      const claim = await claimOf('one', { revision: 7, leaseMs: 0 })
      const client = await begun(`BEGIN ISOLATION LEVEL ${isolation}`)
      await client.query('SELECT count(*) FROM effects')
      const next = await claimOf('one', { revision: 7 })
      await expect(store.commitIn(client, claim)).rejects.toMatchObject({ code: '40001' })
      await ended(client, 'ROLLBACK')
      expect(await store.commit(next)).toBe('committed')
    },
  )
})

function receiverWith(handler: (context: HandlerContext<PostgresConnection>) => NoResponse, database = pool) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresStore(database),
    logger: recordingLogger(),
    on: { 'note.updated': (_event, context) => handler(context) },
  })
}

/** Inserts a row and commits the event in one transaction. */
function apply(context: HandlerContext<PostgresConnection>, database = pool): Promise<void> {
  return inTransaction(async (client) => {
    await client.query('INSERT INTO effects VALUES ($1)', ['one'])
    await context.commit(client)
  }, database)
}

async function inTransaction(work: (client: PoolClient) => Promise<void>, database = pool): Promise<void> {
  const client = await database.connect()
  try {
    await client.query('BEGIN')
    await work(client)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

async function begun(statement = 'BEGIN'): Promise<PoolClient> {
  const client = await pool.connect()
  open.add(client)
  await client.query(statement)
  return client
}

async function ended(client: PoolClient, statement: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(statement)
  open.delete(client)
  client.release()
}

function withWrappedErrors(client: PoolClient): PostgresConnection {
  return {
    query: (text, values) =>
      client.query(text, values).catch((cause) => {
        throw new Error('Failed query', { cause })
      }),
  }
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await pool.query(`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  return rows[0].waiting
}

async function effects(): Promise<number> {
  return (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
}

interface RequestTraits {
  readonly revision: number
  readonly leaseMs?: number
}

function requestOf(eventId: string, { revision, leaseMs = 20_000 }: RequestTraits) {
  return {
    integration: 'default',
    eventId,
    note: { noteId: 'note_1', change: { kind: 'note.updated', revision } },
    gate: 'deletions-at-equal',
    leaseMs,
    keepMs: 259_200_000,
  } as const
}

async function claimOf(eventId: string, traits: RequestTraits): Promise<Claim> {
  const answer = await postgresStore(pool).claim(requestOf(eventId, traits))
  if (answer.status !== 'claimed') throw new Error(`${eventId} is ${answer.status}`)
  return answer.claim
}
