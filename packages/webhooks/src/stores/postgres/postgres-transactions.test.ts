import fc from 'fast-check'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../../fixtures/secrets.ts'
import { statusOnceFree } from '../../../fixtures/status-once-free.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import {
  expectLongestWindow,
  expectOneToCommit,
  expectTransactionsLikeLeases,
  steps,
} from '../../../fixtures/stores/transactions-like-leases.ts'
import { createReceiver, type TransactionContext } from '../../index.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import { anEvent } from '../../testing/an-event.ts'
import { postgresStore, postgresTransactions } from './index.ts'

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

type Handler = (context: TransactionContext<PoolClient>) => unknown

function receiverWith(handler: Handler, database = pool) {
  return createReceiver({
    secret: TEST_SECRET,
    store: postgresTransactions(database),
    logger: recordingLogger(),
    on: { 'note.updated': (_event, context) => handler(context) as Promise<void> },
  })
}

const insert: Handler = ({ transaction }) => transaction.query("INSERT INTO effects VALUES ('one')")

async function effects(): Promise<number> {
  return (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
}

describe('postgresTransactions', () => {
  it('commits the rows of the handler and the record of the event together', async () => {
    const receiver = receiverWith(insert)
    expect(await receiver.process(event)).toEqual({ status: 'applied', event })
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect(await receiver.process({ ...event, event_id: 'two' })).toMatchObject({ status: 'stale', appliedRevision: 7 })
    expect(await effects()).toBe(1)
  })

  it('rolls both back if the handler throws after it has written, and applies the next attempt', async () => {
    let attempts = 0
    const receiver = receiverWith(async (context) => {
      await insert(context)
      attempts += 1
      if (attempts === 1) throw new Error('out of paper')
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: new Error('out of paper') })
    expect(await effects()).toBe(0)
    expect((await receiver.process(event)).status).toBe('applied')
    expect(await effects()).toBe(1)
  })

  it('applies an event once if it is delivered 32 times at once', async () => {
    const receivers = [receiverWith(insert), receiverWith(insert)]
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, () => receivers.map((receiver) => statusOnceFree(receiver, event))).flat(),
    )
    expect(outcomes.sort()).toEqual(['applied', ...Array(31).fill('duplicate')])
    expect(await effects()).toBe(1)
  })
})

describe('leases and transactions on the same tables', () => {
  it('answers busy in a transaction while a lease is live, and takes over an expired one', async () => {
    const store = postgresStore(pool)
    const claim = await store.claim(requestOf('one'))
    const receiver = receiverWith(insert)
    expect((await receiver.process(event)).status).toBe('busy')
    expect((await receiver.process({ ...event, event_id: 'two' })).status).toBe('busy')
    await pool.query("UPDATE notewire_events SET lease_ends_at = clock_timestamp() - interval '1 second'")
    await pool.query("UPDATE notewire_notes SET lease_ends_at = clock_timestamp() - interval '1 second'")
    expect((await receiver.process(event)).status).toBe('applied')
    expect(claim.status === 'claimed' && (await store.commit(claim.claim))).toBe('lost')
    expect(await effects()).toBe(1)
  })

  it('answers busy to a claim while a transaction is open, and then duplicate and stale', async () => {
    const { begun, end, outcome } = openTransaction()
    await begun
    const store = postgresStore(pool)
    expect((await store.claim(requestOf('one'))).status).toBe('busy')
    expect((await store.claim(requestOf('two'))).status).toBe('busy')
    end()
    expect((await outcome).status).toBe('applied')
    expect((await store.claim(requestOf('one'))).status).toBe('duplicate')
    expect((await store.claim(requestOf('two'))).status).toBe('stale')
  })

  it('answers busy to a claim of known rows while a transaction is open', async () => {
    const store = postgresStore(pool)
    const first = await store.claim(requestOf('zero', 1))
    expect(first.status === 'claimed' && (await store.commit(first.claim))).toBe('committed')
    const { begun, end, outcome } = openTransaction()
    await begun
    expect((await store.claim(requestOf('two', 8))).status).toBe('busy')
    end()
    expect((await outcome).status).toBe('applied')
    expect((await store.claim(requestOf('two', 8))).status).toBe('claimed')
  })

  it.each(['one', 'two'])(
    'does not apply an event after the commit of an expired lease of event %s, which it had seen',
    async (eventId) => {
      const leases = postgresStore(pool)
      const transactions = postgresTransactions(pool)
      const claim = await leases.claim({ ...requestOf(eventId), leaseMs: 0 })
      const look = await transactions.look(requestOf('one'))
      if (look.status !== 'new' || claim.status !== 'claimed') throw new Error('neither is busy')
      expect(await leases.commit(claim.claim)).toBe('committed')
      const work = { call: () => undefined, change: () => undefined, givenUp: new Promise<void>(() => undefined) }
      expect(await transactions.transact(requestOf('one'), look.seen, work)).toEqual({ status: 'changed' })
    },
  )

  it('continues with what receivers of the other kind have applied', async () => {
    const store = postgresStore(pool)
    const first = await store.claim(requestOf('one'))
    expect(first.status === 'claimed' && (await store.commit(first.claim))).toBe('committed')
    const receiver = receiverWith(insert)
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect((await receiver.process({ ...event, event_id: 'two' })).status).toBe('stale')
    expect(await store.forget('default', 'one')).toBe('forgotten')
    expect((await receiver.process(event)).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it('applies each event once during a rolling deploy from one kind to the other', async () => {
    const leasing = createReceiver({
      secret: TEST_SECRET,
      store: postgresStore(pool),
      logger: recordingLogger(),
      on: {
        'note.updated': ({ event_id }) => pool.query('INSERT INTO effects VALUES ($1)', [event_id]),
      },
    })
    const transacting = createReceiver({
      secret: TEST_SECRET,
      store: postgresTransactions(pool),
      logger: recordingLogger(),
      on: {
        'note.updated': ({ event_id }, { transaction }) =>
          transaction.query('INSERT INTO effects VALUES ($1)', [event_id]),
      },
    })
    const events = Array.from({ length: 60 }, (_, index) =>
      anEvent({
        kind: 'note.updated',
        eventId: `e${index}`,
        noteId: `n${index % 5}`,
        revision: Math.floor(index / 5) + 1,
      }),
    )
    // Each event is delivered to both kinds at once, until both have acknowledged it.
    for (const each of events) {
      await Promise.all(
        [leasing, transacting].map(async (receiver) => {
          for (let status = ''; !['applied', 'duplicate', 'stale'].includes(status); ) {
            status = (await receiver.process(each)).status
          }
        }),
      )
    }
    const { rows } = await pool.query(
      'SELECT event_id, count(*)::int FROM effects GROUP BY event_id HAVING count(*) > 1',
    )
    expect(rows).toEqual([])
    expect(await effects()).toBe(60)
  })
})

it('commits a forgotten event in one of two concurrent transactions', () =>
  expectOneToCommit(postgresTransactions(pool)))

it('keeps a record as long as the longest of its windows', () => expectLongestWindow(postgresTransactions(pool)))

it('decides as the store in memory does, mixed with leases on the same tables', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      await pool.query('TRUNCATE notewire_events, notewire_notes')
      await expectTransactionsLikeLeases(drawn, postgresTransactions(pool), postgresStore(pool))
    }),
    { numRuns: 60 },
  )
})

function requestOf(eventId: string, revision = 7): ClaimRequest {
  return {
    integration: 'default',
    eventId,
    note: { noteId: event.data.note_id, change: { kind: 'note.updated', revision } },
    gate: 'deletions-at-equal',
    leaseMs: 20_000,
    keepMs: 259_200_000,
  }
}

/** A receiver whose handler has written and waits. */
function openTransaction() {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const receiver = receiverWith(async (context) => {
    await insert(context)
    begun.resolve()
    await end.promise
  })
  const outcome = receiver.process(event)
  return { receiver, begun: begun.promise, end: () => end.resolve(), outcome }
}
