import { createHash } from 'node:crypto'
import { isInstalled, type Postgres, startPgBouncer, startPostgres } from 'notewire-test-servers'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPool } from '../../fixtures/open-pool.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { MIGRATION } from './migration.ts'
import { postgresStore } from './postgres-store.ts'

const cleanUp = new AsyncDisposableStack()
let server: Postgres
beforeAll(async () => {
  server = cleanUp.use(await startPostgres())
})
afterAll(() => cleanUp.disposeAsync())

const request = {
  scope: 'default',
  eventId: 'one',
  note: { noteId: 'note_1', change: { kind: 'note.updated', revision: 1 } },
  gate: 'deletions-at-equal',
  leaseMs: 20_000,
  keepMs: 259_200_000,
} as const

describe('migrate', () => {
  it.each(isInstalled('pgbouncer') ? ['directly', 'through PgBouncer'] : ['directly'])(
    'may be called by twenty connections at once, and again, %s',
    async (way) => {
      const database = await emptyDatabase()
      const url = way === 'directly' ? database : cleanUp.use(await startPgBouncer(database)).url
      const pools = Array.from({ length: 20 }, () => poolOf(url))
      await Promise.all(pools.map((pool) => pool.query('SELECT 1')))
      await Promise.all(pools.map((pool) => postgresStore(pool).migrate()))
      await Promise.all(pools.map((pool) => postgresStore(pool).migrate()))
      const { rows } = await poolOf(database).query(
        "SELECT relname FROM pg_class WHERE relname ~ '^notewire' AND relkind = 'r' ORDER BY 1",
      )
      expect(rows).toEqual([{ relname: 'notewire_events' }, { relname: 'notewire_notes' }])
    },
  )

  it('needs no right to make anything where nothing is missing', async () => {
    const database = await emptyDatabase()
    const owner = poolOf(database)
    await postgresStore(owner).migrate()
    await owner.query("CREATE ROLE worker LOGIN PASSWORD 'worker'")
    await owner.query('GRANT SELECT, INSERT, UPDATE, DELETE ON notewire_events, notewire_notes TO worker')
    const store = postgresStore(poolOf(database.replace('postgres:postgres@', 'worker:worker@')))
    await store.migrate()
    const answer = await store.claim(request)
    expect(answer.status === 'claimed' && (await store.commit(answer.claim))).toBe('committed')
    expect(await store.forget('default', 'one')).toBe('forgotten')
    expect(await store.prune()).toBe(0)
  })

  it('keeps to the search_path of the connection', async () => {
    const url = await emptyDatabase()
    const pool = poolOf(url)
    await pool.query('CREATE SCHEMA webhooks')
    await pool.query(`ALTER ROLE postgres IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path = webhooks`)
    const store = postgresStore(poolOf(url))
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
    expect((await pool.query('SELECT event_id FROM webhooks.notewire_events')).rows).toEqual([{ event_id: 'one' }])
  })

  it('leaves instances of the version before at work, on the same tables', async () => {
    const pool = poolOf(await emptyDatabase())
    const before = postgresStore(pool)
    await before.migrate()
    const claim = await before.claim(request)

    const ofNextVersion = (text: string) => text.replaceAll(/(notewire_[a-z]+)_1\b/g, '$1_2')
    const after = postgresStore({ query: (text, values) => pool.query(ofNextVersion(text), values) })
    await after.migrate()
    expect((await after.claim(request)).status).toBe('busy')
    expect(claim.status === 'claimed' && (await before.commit(claim.claim))).toBe('committed')
    expect((await after.claim(request)).status).toBe('duplicate')
    expect(ofNextVersion(MIGRATION)).not.toBe(MIGRATION)
  })
})

it.each([
  ['notewire_claim_1', CLAIM_FUNCTION, '63c1827969bb74ca'],
  ['notewire_commit_1', COMMIT_FUNCTION, 'a552c9071330849e'],
  ['notewire_lease_1', LEASE_FUNCTION, '24d931762b634ccf'],
])('%s is what it was: databases that have it keep it, so that a change needs a new number', (name, text, digest) => {
  expect(text).toContain(`FUNCTION ${name}(`)
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
})

let databases = 0
function emptyDatabase(): Promise<string> {
  databases += 1
  return server.createDatabase(`database_${databases}`)
}

function poolOf(url: string): Pool {
  const pool = openPool(url)
  cleanUp.defer(() => pool.end())
  return pool
}
