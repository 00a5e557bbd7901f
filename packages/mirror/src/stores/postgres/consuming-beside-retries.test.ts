import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../fixtures/consuming/manual-clock.ts'
import { NoteWriter } from '../../../fixtures/consuming/note-writer.ts'
import { onClock } from '../../../fixtures/on-clock.ts'
import { SILENT } from '../../../fixtures/silent-logger.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { type ConsumerChange, type ConsumerContext, openMirror } from '../../index.ts'
import { type PostgresTransaction, postgresMirror } from './index.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
})
beforeEach(async () => {
  pool = databases.poolOf(await databases.emptyDatabase())
  await postgresMirror(pool).migrate()
  await pool.query('CREATE TABLE applied (id bigint GENERATED ALWAYS AS IDENTITY, change text)')
})
afterAll(() => databases.cleanUp.disposeAsync())

async function readRows(): Promise<readonly string[]> {
  const { rows } = await pool.query('SELECT change FROM applied ORDER BY change, id')
  return rows.map(({ change }) => String(change))
}

type Act = (client: PoolClient, commit: () => Promise<void>, retryParked: () => Promise<number>) => Promise<void>

/** A consumer that has parked the note `a`, and has two new changes. */
async function aConsumerWithAParkedNote() {
  const store = postgresMirror(pool)
  const clock = new ManualClock()
  const mirror = openMirror({ store: onClock(store, clock), logger: SILENT })
  const notes = new NoteWriter(store)
  const name = 'index'
  await notes.show('a', 'First')
  await notes.show('first', 'First')
  for (let attempts = 0; attempts < 8; attempts += 1) {
    const apply = (changes: readonly ConsumerChange[]) => {
      if (changes.some(({ noteId }) => noteId === 'a')) throw new Error('fails')
    }
    await mirror.consumeDue({ name, apply })
    clock.advance(6 * 3_600_000)
  }
  await notes.show('b', 'First')
  await notes.show('c', 'First')

  const applyIn =
    (act: Act) =>
    async (changes: readonly ConsumerChange[], { commit }: ConsumerContext<PostgresTransaction>) => {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        for (const { noteId } of changes) await client.query('INSERT INTO applied (change) VALUES ($1)', [noteId])
        await act(
          client,
          () => commit(client),
          () => mirror.retryParked(name),
        )
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    }
  async function consumeAll() {
    const apply = applyIn(async (client, commit) => {
      await commit()
      await client.query('COMMIT')
    })
    for (let rounds = 0; rounds < 5; rounds += 1) {
      clock.advance(2_000)
      await mirror.consumeDue({ name, apply })
    }
  }
  const status = () => mirror.consumerStatus(name)
  const consume = (act: Act, batchSize = 100) => mirror.consumeDue({ name, batchSize, apply: applyIn(act) })
  expect(await status()).toMatchObject({ lag: 2, parked: [{ noteId: 'a' }] })
  return { consume, consumeAll, status }
}

const ROLLED_BACK: Readonly<Record<string, Act>> = {
  'after its rollback': async (client, commit, retryParked) => {
    await commit()
    await client.query('ROLLBACK')
    await retryParked()
  },
  'before commit, so that commit rejects': async (_client, commit, retryParked) => {
    await retryParked()
    await commit()
  },
  'before commit, and apply catches the error': async (_client, commit, retryParked) => {
    await retryParked()
    await commit().catch(() => undefined)
  },
}

describe('retryParked while a transaction of PostgreSQL is open', () => {
  it.each(Object.entries(ROLLED_BACK))('loses no change of a batch that is rolled back: %s', async (_when, act) => {
    const { consume, consumeAll, status } = await aConsumerWithAParkedNote()
    const outcome = await consume(act)
    expect(outcome.applied).toBe((await readRows()).length)
    await consumeAll()
    expect(await readRows()).toEqual(['a', 'b', 'c'])
    expect(await status()).toEqual({ hasRun: true, lag: 0, waiting: 0, parked: [], backoff: null })
  })

  it.each(Object.entries(ROLLED_BACK))('loses no change that is sent alone: %s', async (_when, act) => {
    const { consume, consumeAll } = await aConsumerWithAParkedNote()
    let calls = 0
    const outcome = await consume(async (client, ...given) => {
      calls += 1
      if (calls === 1) throw new Error('the batch fails')
      if (calls === 2) return await act(client, ...given)
      await given[0]()
      await client.query('COMMIT')
    })
    expect(outcome).toMatchObject({ applied: 1, failed: 1 })
    await consumeAll()
    expect(await readRows()).toEqual(['a', 'b', 'c'])
  })

  it('does not apply a committed change again', async () => {
    const { consume, consumeAll } = await aConsumerWithAParkedNote()
    let calls = 0
    const outcome = await consume(async (client, commit, retryParked) => {
      calls += 1
      await commit()
      if (calls === 1) throw new Error('the batch fails')
      await client.query('COMMIT')
      await retryParked()
      throw new Error('after the commit')
    })
    expect(outcome).toMatchObject({ applied: 2, failed: 0 })
    await consumeAll()
    expect(await readRows()).toEqual(['a', 'b', 'c'])
  })
})
