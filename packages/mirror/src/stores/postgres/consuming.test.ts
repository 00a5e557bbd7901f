import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../consuming/fixtures/manual-clock.ts'
import { NoteWriter } from '../../consuming/fixtures/note-writer.ts'
import { type ConsumerChange, type ConsumerContext, openMirror } from '../../index.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { type PostgresConnection, postgresMirror } from './index.ts'

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
  const { rows } = await pool.query('SELECT change FROM applied ORDER BY id')
  return rows.map(({ change }) => String(change))
}

describe('commit in a transaction of PostgreSQL', () => {
  function aConsumer() {
    const store = postgresMirror(pool)
    const problems: unknown[] = []
    const mirror = openMirror({
      store,
      clock: new ManualClock(),
      hooks: { onProblem: ({ error }) => problems.push(error) },
    })
    const applyIn =
      (act: (client: PoolClient, commit: () => Promise<void>) => Promise<void>) =>
      async (changes: readonly ConsumerChange[], { commit }: ConsumerContext<PostgresConnection>) => {
        const client = await pool.connect()
        try {
          await client.query('BEGIN')
          for (const { noteId } of changes) await client.query('INSERT INTO applied (change) VALUES ($1)', [noteId])
          await act(client, () => commit(client))
        } finally {
          await client.query('ROLLBACK')
          client.release()
        }
      }
    return { mirror, problems, applyIn, notes: new NoteWriter(store) }
  }

  it('takes effect with the transaction, even if apply fails after it', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      await commit()
      await client.query('COMMIT')
      throw new Error('after the commit')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(await readRows()).toEqual(['a'])
  })

  it('has no effect if the transaction is rolled back', async () => {
    const { mirror, notes, applyIn, problems } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn((_, commit) => commit())
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'transaction_not_committed' }])
    expect(await mirror.consumerStatus('index')).toMatchObject({ lag: 1, backoff: { failures: 1 } })
  })

  it('throws if another process has taken the lease', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    const later = new ManualClock()
    later.advance(31_000)
    const other = openMirror({ store: postgresMirror(pool), clock: later })
    await notes.show('a', 'First')
    const thrown: unknown[] = []
    const apply = applyIn(async (client, commit) => {
      await other.consumeDue({ name: 'index', apply: () => undefined })
      await commit().catch((error) => thrown.push(error))
      await client.query('ROLLBACK')
    })
    await mirror.consumeDue({ name: 'index', apply })
    expect(thrown).toMatchObject([{ code: 'consumer_lost' }])
    expect(await readRows()).toEqual([])
  })
})
