import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { createReceiver, type TransactionContext } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-databases.ts'
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
    const outcomes = await Promise.all(Array.from({ length: 32 }, (_, index) => receivers[index % 2]?.process(event)))
    expect(outcomes.map((outcome) => outcome?.status).sort()).toEqual(['applied', ...Array(31).fill('duplicate')])
    expect(await effects()).toBe(1)
  })
})
