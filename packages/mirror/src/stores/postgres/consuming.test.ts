import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../fixtures/consuming/manual-clock.ts'
import { NoteWriter } from '../../../fixtures/consuming/note-writer.ts'
import { onClock } from '../../../fixtures/on-clock.ts'
import { SILENT } from '../../../fixtures/silent-logger.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { type ConsumerChange, type ConsumerContext, openMirror } from '../../index.ts'
import { type PostgresConnection, type PostgresTransaction, postgresMirror } from './index.ts'

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

type Commit = (transaction: PostgresConnection) => Promise<void>

describe('commit in a transaction of PostgreSQL', () => {
  function aConsumer() {
    const store = postgresMirror(pool)
    const problems: unknown[] = []
    const clock = new ManualClock()
    const mirror = openMirror({
      store: onClock(store, clock),
      hooks: { onProblem: ({ error }) => problems.push(error) },
      logger: SILENT,
    })
    const applyIn =
      (act: (client: PoolClient, commit: Commit) => Promise<void>) =>
      async (changes: readonly ConsumerChange[], { commit }: ConsumerContext<PostgresTransaction>) => {
        const client = await pool.connect()
        try {
          await client.query('BEGIN')
          for (const { noteId } of changes) await client.query('INSERT INTO applied (change) VALUES ($1)', [noteId])
          await act(client, commit)
        } finally {
          const isAlive = await client.query('ROLLBACK').then(
            () => true,
            () => false,
          )
          client.release(!isAlive)
        }
      }
    return { mirror, clock, problems, applyIn, notes: new NoteWriter(store) }
  }

  it('takes effect with the transaction, even if apply fails after it', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      await commit(client)
      await client.query('COMMIT')
      throw new Error('after the commit')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(await readRows()).toEqual(['a'])
  })

  it('has no effect if the transaction is rolled back', async () => {
    const { mirror, notes, applyIn, problems } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn((client, commit) => commit(client))
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'transaction_not_committed' }])
    expect(await mirror.consumerStatus('index')).toMatchObject({ lag: 1, backoff: { failures: 1 } })
  })

  it('throws if another process has taken the lease', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    const later = new ManualClock()
    later.advance(31_000)
    const other = openMirror({ store: onClock(postgresMirror(pool), later) })
    await notes.show('a', 'First')
    const thrown: unknown[] = []
    const apply = applyIn(async (client, commit) => {
      await other.consumeDue({ name: 'index', apply: () => undefined })
      await commit(client).catch((error) => thrown.push(error))
      await client.query('ROLLBACK')
    })
    await mirror.consumeDue({ name: 'index', apply })
    expect(thrown).toMatchObject([{ code: 'consumer_lost' }])
    expect(await readRows()).toEqual([])
  })

  const NOT_OPEN: Readonly<Record<string, (client: PoolClient, commit: Commit) => Promise<void>>> = {
    'a pool': (_client, commit) => commit(pool),
    'a client before BEGIN': async (client, commit) => {
      await client.query('ROLLBACK')
      await commit(client)
    },
    'a client after COMMIT': async (client, commit) => {
      await client.query('DELETE FROM applied')
      await client.query('COMMIT')
      await commit(client)
    },
  }

  it.each(Object.entries(NOT_OPEN))('refuses %s, and the next attempt writes the row', async (_name, act) => {
    const { mirror, notes, applyIn, problems, clock } = aConsumer()
    await notes.show('a', 'First')
    const refused = applyIn(act)
    expect(await mirror.consumeDue({ name: 'index', apply: refused })).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'option_invalid', option: 'transaction' }])
    expect(await readRows()).toEqual([])
    clock.advance(1_000)
    const apply = applyIn(async (client, commit) => {
      await commit(client)
      await client.query('COMMIT')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 1, failed: 0 })
    expect(await readRows()).toEqual(['a'])
  })

  it('names the missing await if apply does not wait for commit, and its error does not end the process', async () => {
    const { mirror, notes, applyIn, problems } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      void commit(client)
      await client.query('COMMIT')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: 'transaction_not_committed', message: expect.stringMatching(/await/) }])
  })

  it('is refused after apply has returned, and its notes are due again', async () => {
    const { mirror, notes, applyIn, problems, clock } = aConsumer()
    await notes.show('a', 'First')
    await notes.show('b', 'First')
    const late: unknown[] = []
    const write = applyIn(async (client, commit) => {
      await commit(client)
      await client.query('COMMIT')
    })
    const working: Promise<unknown>[] = []
    const forgetful: typeof write = async (...given) => {
      working.push(write(...given).catch((error) => late.push(error)))
    }
    expect(await mirror.consumeDue({ name: 'index', apply: forgetful })).toMatchObject({ applied: 2, failed: 0 })
    await Promise.all(working)
    const error = { code: 'transaction_not_committed', message: expect.stringMatching(/await is missing/) }
    expect(late).toMatchObject([error])
    expect(problems).toMatchObject([error])
    expect(await mirror.consumerStatus('index')).toMatchObject({ lag: 0, waiting: 2 })
    expect(await readRows()).toEqual([])
    clock.advance(1_000)
    expect(await mirror.consumeDue({ name: 'index', apply: write })).toEqual({ applied: 2, failed: 0, nextAt: null })
    expect(await readRows()).toEqual(['a', 'b'])
  })

  it('after apply has returned counts as a failure: its note waits longer each time, and is parked in the end', async () => {
    const { mirror, notes, applyIn, clock } = aConsumer()
    await notes.show('a', 'First')
    const write = applyIn(async (client, commit) => {
      await commit(client)
      await client.query('COMMIT')
    })
    const working: Promise<unknown>[] = []
    const forgetful: typeof write = async (...given) => void working.push(write(...given).catch(() => undefined))
    const round = async () => {
      const { applied } = await mirror.consumeDue({ name: 'index', apply: forgetful })
      await Promise.all(working)
      return applied
    }
    expect(await round()).toBe(1)
    clock.advance(1_000)
    expect(await round()).toBe(1)
    clock.advance(3_999)
    expect(await round()).toBe(0)
    clock.advance(1)
    for (let attempts = 3; attempts <= 8; attempts += 1) {
      expect(await round()).toBe(1)
      clock.advance(6 * 60 * 60_000)
    }
    expect(await round()).toBe(0)
    expect(await mirror.consumerStatus('index')).toMatchObject({
      waiting: 0,
      parked: [{ noteId: 'a', error: { code: 'transaction_not_committed' } }],
    })
    await mirror.retryParked('index')
    expect(await mirror.consumeDue({ name: 'index', apply: write })).toMatchObject({ applied: 1 })
    expect(await readRows()).toEqual(['a'])
  })

  it('takes effect with the rows of the transaction in which it runs, if another was rolled back before', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      await client.query("ROLLBACK; BEGIN; INSERT INTO applied (change) VALUES ('second')")
      await commit(client)
      await client.query('COMMIT')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(await readRows()).toEqual(['second'])
  })

  it('does not end the process if its connection breaks', async () => {
    const { mirror, notes, applyIn, clock } = aConsumer()
    await notes.show('a', 'First')
    const broken = applyIn(async (client) => {
      const other = databases.poolOf(pool.options.connectionString ?? '')
      await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'")
      await new Promise((resolve) => setTimeout(resolve, 100))
      await client.query('SELECT 1')
    })
    expect(await mirror.consumeDue({ name: 'index', apply: broken })).toMatchObject({ applied: 0, failed: 1 })
    clock.advance(1_000)
    const apply = applyIn(async (client, commit) => {
      await commit(client)
      await client.query('COMMIT')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 1, failed: 0 })
    expect(await readRows()).toEqual(['a'])
  })

  it('rejects with the error of PostgreSQL in an aborted transaction', async () => {
    const { mirror, notes, applyIn, problems } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      await client.query('SELECT 1 / 0').catch(() => undefined)
      await commit(client)
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toMatchObject({ applied: 0, failed: 1 })
    expect(problems).toMatchObject([{ code: '25P02' }])
  })

  it('takes effect in a savepoint', async () => {
    const { mirror, notes, applyIn } = aConsumer()
    await notes.show('a', 'First')
    const apply = applyIn(async (client, commit) => {
      await client.query('SAVEPOINT mine')
      await commit(client)
      await client.query('RELEASE mine')
      await client.query('COMMIT')
    })
    expect(await mirror.consumeDue({ name: 'index', apply })).toEqual({ applied: 1, failed: 0, nextAt: null })
    expect(await readRows()).toEqual(['a'])
  })
})
