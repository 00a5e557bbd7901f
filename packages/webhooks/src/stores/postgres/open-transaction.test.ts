import { isInstalled, startPgBouncer } from 'notewire-test-servers'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { createReceiver } from '../../index.ts'
import { anEvent } from '../../testing/an-event.ts'
import { signAttempt } from '../../testing/sign-attempt.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-databases.ts'
import { type PostgresConnection, postgresStore } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const INSERT = "INSERT INTO effects VALUES ('one')"

const STATEMENTS = ['BEGIN', INSERT, 'COMMIT']

/** What a handler does with the client that it has taken from the pool. */
type Handling = (client: PoolClient, commit: (transaction: PostgresConnection) => Promise<void>, pool: Pool) => unknown

const NOT_OPEN: Readonly<Record<string, Handling>> = {
  'a pool': async (client, commit, pool) => {
    await client.query('BEGIN')
    await commit(pool)
    await client.query(INSERT)
    throw new Error('the row cannot be written')
  },
  'a client before BEGIN': async (client, commit) => {
    await commit(client)
    await client.query('BEGIN')
    await client.query(INSERT)
    throw new Error('the row cannot be written')
  },
  'a client after COMMIT': async (client, commit) => {
    await client.query('BEGIN')
    await client.query('COMMIT')
    await commit(client)
  },
  'a client after ROLLBACK': async (client, commit) => {
    await client.query('BEGIN')
    await client.query(INSERT)
    await client.query('ROLLBACK')
    await commit(client)
  },
  'a connection whose statements run in two transactions': async (client, commit, pool) => {
    await client.query('BEGIN')
    let statements = 0
    await commit({ query: (text, values) => (statements++ === 0 ? client : pool).query(text, values) })
  },
}

const writeAndCommit: Handling = async (client, commit) => {
  await client.query('BEGIN')
  await client.query(INSERT)
  await commit(client)
  await client.query('COMMIT')
}

const OPEN: Readonly<Record<string, Handling>> = {
  'a client after BEGIN': writeAndCommit,
  'a client that has written nothing yet': async (client, commit) => {
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
    await commit(client)
    await client.query(INSERT)
    await client.query('COMMIT')
  },
  'a client in a savepoint': async (client, commit) => {
    await client.query('BEGIN')
    await client.query(INSERT)
    await client.query('SAVEPOINT mine')
    await commit(client)
    await client.query('RELEASE mine')
    await client.query('COMMIT')
  },
  'a client that has rolled back to a savepoint': async (client, commit) => {
    await client.query('BEGIN')
    await client.query(INSERT)
    await client.query('SAVEPOINT mine')
    await client.query('SELECT 1 / 0').catch(() => client.query('ROLLBACK TO mine'))
    await commit(client)
    await client.query('COMMIT')
  },
}

const ways = isInstalled('pgbouncer') ? ['directly', 'through PgBouncer in transaction mode'] : ['directly']

describe.each(ways)('context.commit %s', (way) => {
  let pool: Pool
  beforeAll(async () => {
    const url = await databases.emptyDatabase()
    const bouncer = way.startsWith('through') ? databases.cleanUp.use(await startPgBouncer(url)).url : undefined
    pool = databases.poolOf(bouncer ?? url)
    await postgresStore(pool).migrate()
    await pool.query('CREATE TABLE effects (event_id text NOT NULL)')
  })
  beforeEach(() => pool.query('TRUNCATE effects, notewire_events, notewire_notes'))

  it.each(Object.entries(NOT_OPEN))('refuses %s, and the retry writes the row', async (_name, handling) => {
    const { deliver, errors, rows } = receiving(handling, writeAndCommit)
    expect(await deliver()).toBe(500)
    expect(errors).toMatchObject([
      {
        code: 'option_invalid',
        option: 'transaction',
        message: expect.stringMatching(/BEGIN.*Drizzle, Kysely or Prisma/),
      },
    ])
    expect(await rows()).toBe(0)
    expect(await deliver()).toBe(204)
    expect(await rows()).toBe(1)
  })

  it('rejects with the error of PostgreSQL in an aborted transaction', async () => {
    const abortAndCommit: Handling = async (client, commit) => {
      await client.query('BEGIN')
      await client.query('SELECT 1 / 0').catch(() => undefined)
      await commit(client)
    }
    const { deliver, errors, rows } = receiving(abortAndCommit, writeAndCommit)
    expect(await deliver()).toBe(500)
    expect(errors).toMatchObject([{ code: '25P02' }])
    expect(await deliver()).toBe(204)
    expect(await rows()).toBe(1)
  })

  it.each(Object.entries(OPEN))('takes %s', async (_name, handling) => {
    const { deliver, errors, rows } = receiving(handling)
    expect(await deliver()).toBe(204)
    expect(await deliver()).toBe(204)
    expect(errors).toEqual([])
    expect(await rows()).toBe(1)
  })

  it('loses no row, wherever a handler commits the event and whichever statement fails', async () => {
    for (const outer of [true, false]) {
      for (let place = 0; place <= STATEMENTS.length; place += 1) {
        for (let failing = 0; failing <= STATEMENTS.length + 1; failing += 1) {
          await pool.query('TRUNCATE effects, notewire_events, notewire_notes')
          const { deliver, rows } = receiving(async (client, commit) => {
            const steps = STATEMENTS.map((statement) => () => client.query(statement) as Promise<unknown>)
            steps.splice(place, 0, () => commit(outer ? pool : client))
            for (const [index, step] of steps.entries()) {
              if (index === failing) throw new Error('the statement failed')
              await step()
            }
          }, writeAndCommit)
          const status = [await deliver(), await deliver()]
          expect({ outer, place, failing, status, isLost: (await rows()) === 0 }).toMatchObject({ isLost: false })
        }
      }
    }
  })

  it('fails the event if the handler catches the error', async () => {
    const { deliver, rows } = receiving((_client, commit) => commit(pool).catch(() => undefined), writeAndCommit)
    expect(await deliver()).toBe(500)
    expect(await deliver()).toBe(204)
    expect(await rows()).toBe(1)
  })

  /** A receiver whose deliveries of one event are handled one after the other, each with a client that is rolled back at the end. */
  function receiving(...handlings: readonly Handling[]) {
    const remaining = [...handlings]
    const errors: unknown[] = []
    const receiver = createReceiver({
      secret: TEST_SECRET,
      store: postgresStore(pool),
      logger: recordingLogger(),
      on: {
        'note.updated': async (_event, { commit }) => {
          const client = await pool.connect()
          try {
            const reportAndThrow = (error: unknown) => {
              errors.push(error)
              throw error
            }
            await remaining.shift()?.(client, (transaction) => commit(transaction).catch(reportAndThrow), pool)
          } finally {
            await client.query('ROLLBACK')
            client.release()
          }
        },
      },
    })
    const event = anEvent({ kind: 'note.updated', eventId: 'one' })
    async function deliver() {
      const attempt = await signAttempt(TEST_SECRET, event)
      const { status } = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', ...attempt }))
      return status
    }
    const rows = async () => (await pool.query('SELECT count(*)::int FROM effects')).rows[0].count
    return { deliver, errors, rows }
  }
})
