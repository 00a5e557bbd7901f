import { OptionError } from '@notewire/protocol'
import { isInstalled, startPgBouncer } from 'notewire-test-servers'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { storeChecks } from '../../testing/store-checks.ts'
import {
  namedStatements,
  type PostgresConnection,
  PostgresNotMigratedError,
  PostgresTimeoutError,
  postgresStore,
} from './index.ts'

const YEAR_MS = 365 * 24 * 3_600_000

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const request = (eventId: string) =>
  ({
    integration: 'default',
    eventId,
    note: { noteId: `note of ${eventId}`, change: { kind: 'note.updated', revision: 1 } },
    gate: 'deletions-at-equal',
    leaseMs: 20_000,
    keepMs: 259_200_000,
  }) as const

// Before version 1.21, PgBouncer does not know the names of its clients' statements.
const bouncers = ['through PgBouncer in transaction mode', 'with named statements through PgBouncer']
const ways = ['directly', 'in a schema', 'with named statements', ...(isInstalled('pgbouncer') ? bouncers : [])]

describe.each(ways)('the store in PostgreSQL, %s', (way) => {
  let pool: Pool
  const storeIn = () => {
    const connection = way.startsWith('with named') ? namedStatements(pool) : pool
    return postgresStore(connection, way === 'in a schema' ? { schema: 'In-a-Schema' } : {})
  }
  beforeAll(async () => {
    const url = await databases.emptyDatabase()
    const bouncer = way.includes('PgBouncer') ? databases.cleanUp.use(await startPgBouncer(url)).url : undefined
    pool = databases.poolOf(bouncer ?? url)
    await storeIn().migrate()
  })

  for (const { name, run } of storeChecks) it(name, () => run(storeIn()))
})

describe('a process whose clock is a year off', () => {
  it.each([-YEAR_MS, YEAR_MS])(
    'by %d ms takes no live claim, keeps none longer, and prunes no record',
    async (byMs) => {
      const pool = databases.poolOf(await databases.emptyDatabase())
      const store = postgresStore(pool)
      await store.migrate()
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })
      onTestFinished(() => void vi.useRealTimers())
      const done = await store.claim(request('done'))
      if (done.status === 'claimed') await store.commit(done.claim)
      expect(await store.claim(request('held'))).toMatchObject({ status: 'claimed' })
      vi.useRealTimers()
      const { rows } = await pool.query('SELECT max(lease_ends_at) AS ends_at FROM notewire_events')
      expect(Math.abs(rows[0].ends_at.getTime() - Date.now() - 20_000)).toBeLessThan(5_000)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - byMs })
      expect(await store.claim(request('held'))).toEqual({ status: 'busy' })
      expect(await store.prune()).toBe(0)
      expect(await store.claim(request('done'))).toEqual({ status: 'duplicate' })
    },
  )
})

describe('an operation', () => {
  it('is one unnamed statement, so one round trip: a claim, a renewal, a commit, a release', async () => {
    const pool = await databases.migratedPool()
    const statements: unknown[][] = []
    const store = postgresStore({
      query: (...statement) => {
        statements.push(statement)
        return pool.query(...statement)
      },
    })
    const spent = async <Answer>(operation: Answer | Promise<Answer>) => [
      (await operation) && statements.splice(0).length,
    ]
    const first = await store.claim(request('one'))
    if (first.status !== 'claimed') throw new Error(first.status)
    expect(statements.splice(0)).toEqual([
      [expect.stringMatching(/^SELECT \* FROM notewire_claim_event\([^;]*$/), expect.any(Array)],
    ])
    expect(await spent(store.renew(first.claim, 20_000))).toEqual([1])
    expect(await spent(store.commit(first.claim))).toEqual([1])
    const second = await store.claim(request('two'))
    statements.length = 0
    if (second.status === 'claimed') await store.release(second.claim)
    expect(statements).toHaveLength(1)
  })

  it('writes and locks nothing if the answer is duplicate or busy', async () => {
    const pool = await databases.migratedPool()
    const store = postgresStore(pool)
    const done = await store.claim(request('done'))
    if (done.status === 'claimed') await store.commit(done.claim)
    await store.claim(request('running'))

    const client = await pool.connect()
    await client.query('BEGIN')
    const inTransaction = postgresStore(client)
    const answers = [await inTransaction.claim(request('done')), await inTransaction.claim(request('running'))]
    expect(answers.map(({ status }) => status)).toEqual(['duplicate', 'busy'])
    expect(await transactionId(client)).toEqual([{ id: null }])
    await inTransaction.claim(request('new'))
    expect(await transactionId(client)).not.toEqual([{ id: null }])
    await client.query('ROLLBACK')
    client.release()
  })

  it('leaves no lease if the answer is stale', async () => {
    const pool = await databases.migratedPool()
    const store = postgresStore(pool)
    const done = await store.claim(request('done'))
    if (done.status === 'claimed') await store.commit(done.claim)
    const { note } = request('done')
    expect(await store.claim({ ...request('late'), note })).toMatchObject({ status: 'stale' })
    const { rows } = await pool.query(
      'SELECT lease_ends_at FROM notewire_events UNION ALL SELECT lease_ends_at FROM notewire_notes',
    )
    expect(rows).toEqual(rows.map(() => ({ lease_ends_at: null })))
    expect(await store.claim({ ...request('late'), note })).toMatchObject({ status: 'stale' })
  })

  it('updates rows without updating the indexes', async () => {
    const pool = await databases.migratedPool()
    const store = postgresStore(pool)
    for (let turn = 0; turn < 300; turn += 1) {
      const answer = await store.claim({ ...request(`event ${turn}`), note: { noteId: `note ${turn % 3}` } })
      if (answer.status === 'claimed') await store.commit(answer.claim)
    }
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      "SELECT sum(n_tup_upd)::int AS updates, sum(n_tup_hot_upd)::int AS hot FROM pg_stat_user_tables WHERE relname LIKE 'notewire%'",
    )
    expect(rows[0].updates).toBeGreaterThan(500)
    expect(rows[0].hot / rows[0].updates).toBeGreaterThan(0.95)
  })

  it('rejects after five seconds, and releases a claim that is granted later', async () => {
    const pool = await databases.migratedPool()
    let resume = () => {}
    const held = new Promise<void>((resolve) => {
      resume = resolve
    })
    const slow = postgresStore({ query: (text, values) => held.then(() => pool.query(text, values)) })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const answer = expect(slow.claim(request('one'))).rejects.toThrow(PostgresTimeoutError)
    await vi.advanceTimersByTimeAsync(5_000)
    vi.useRealTimers()
    await answer
    resume()
    await expect.poll(async () => (await postgresStore(pool).claim(request('one'))).status).toBe('claimed')
  })

  it('rejects with the next step if the tables are missing, and with the errors of the driver', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    const store = postgresStore(pool)
    await expect(store.claim(request('one'))).rejects.toThrow(PostgresNotMigratedError)
    await expect(store.forget('default', 'one')).rejects.toThrow(/store\.migrate\(\)/)
    const broken = new Error('connection terminated')
    await expect(postgresStore({ query: () => Promise.reject(broken) }).prune()).rejects.toBe(broken)
  })
})

describe('prune', () => {
  it('reads a table a few pages at a time, and removes all expired rows', async () => {
    const pool = await databases.migratedPool()
    await pool.query(`INSERT INTO notewire_events
      SELECT 'default', 'event ' || n, n, NULL, clock_timestamp() + CASE WHEN n % 3 = 0 THEN 1 ELSE -1 END * interval '1 hour'
      FROM generate_series(1, 60000) AS n`)
    const statements: string[] = []
    const store = postgresStore({
      query: (text, values) => {
        statements.push(text)
        return pool.query(text, values)
      },
    })
    expect(await store.prune()).toBe(40_000)
    expect(statements.length).toBeGreaterThan(3)
    expect((await pool.query('SELECT count(*)::int FROM notewire_events')).rows).toEqual([{ count: 20_000 }])
    const { rows } = await pool.query(`EXPLAIN ${statements[0]}`.replace('$1', "'(0,0)'").replace('$2', "'(9,0)'"))
    expect(JSON.stringify(rows)).toContain('Tid Range Scan on notewire_events')
  })

  it('removes the rows of abandoned and released claims, and counts only processed events and revisions', async () => {
    const pool = await databases.migratedPool()
    const store = postgresStore(pool)
    const released = await store.claim(request('released'))
    if (released.status === 'claimed') await store.release(released.claim)
    const abandoned = await store.claim({ ...request('abandoned'), leaseMs: 0 })
    await store.claim(request('running'))
    expect(await store.prune()).toBe(0)
    expect((await pool.query('SELECT event_id FROM notewire_events')).rows).toEqual([{ event_id: 'running' }])
    expect((await pool.query('SELECT note_id FROM notewire_notes')).rows).toEqual([{ note_id: 'note of running' }])
    expect(abandoned.status === 'claimed' && (await store.commit(abandoned.claim))).toBe('lost')
  })

  it('waits for no lock', async () => {
    const pool = await databases.migratedPool()
    const store = postgresStore(pool)
    const claim = await store.claim({ ...request('one'), leaseMs: 0, keepMs: 0 })
    if (claim.status !== 'claimed') throw new Error(claim.status)
    expect(await store.commit(claim.claim)).toBe('committed')
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM notewire_events FOR UPDATE')
    await client.query('SELECT FROM notewire_notes FOR UPDATE')
    expect(await store.prune()).toBe(0)
    await client.query('COMMIT')
    client.release()
    expect(await store.prune()).toBe(2)
  })
})

describe('postgresStore', () => {
  it('refuses an argument without query', () => {
    // @ts-expect-error a connection string is no pool
    expect(() => postgresStore('postgres://localhost')).toThrow(OptionError)
    // @ts-expect-error the promise of a pool
    expect(() => postgresStore(Promise.resolve(new Pool()))).toThrow(/pool has no method "query"/)
  })

  it('keeps a record with an infinite keepMs', async () => {
    const store = postgresStore(await databases.migratedPool())
    const answer = await store.claim({ ...request('one'), keepMs: Number.POSITIVE_INFINITY })
    expect(answer.status === 'claimed' && (await store.commit(answer.claim))).toBe('committed')
    expect(await store.prune()).toBe(0)
  })
})

// A transaction gets its number with its first write or lock.
async function transactionId(connection: PostgresConnection): Promise<readonly unknown[]> {
  return (await connection.query('SELECT pg_current_xact_id_if_assigned()::text AS id', [])).rows
}
