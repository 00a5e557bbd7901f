import { createHash } from 'node:crypto'
import { isInstalled, startPgBouncer } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-databases.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { MIGRATION } from './migration.ts'
import { postgresStore } from './postgres-store.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const request = {
  integration: 'default',
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
      const database = await databases.emptyDatabase()
      const url = way === 'directly' ? database : databases.cleanUp.use(await startPgBouncer(database)).url
      const pools = Array.from({ length: 20 }, () => databases.poolOf(url))
      await Promise.all(pools.map((pool) => pool.query('SELECT 1')))
      await Promise.all(pools.map((pool) => postgresStore(pool).migrate()))
      await Promise.all(pools.map((pool) => postgresStore(pool).migrate()))
      const { rows } = await databases
        .poolOf(database)
        .query("SELECT relname FROM pg_class WHERE relname ~ '^notewire' AND relkind = 'r' ORDER BY 1")
      expect(rows).toEqual([{ relname: 'notewire_events' }, { relname: 'notewire_notes' }])
    },
  )

  it('needs no right to make anything where nothing is missing', async () => {
    const database = await databases.emptyDatabase()
    const owner = databases.poolOf(database)
    await postgresStore(owner).migrate()
    await owner.query("CREATE ROLE worker LOGIN PASSWORD 'worker'")
    await owner.query('GRANT SELECT, INSERT, UPDATE, DELETE ON notewire_events, notewire_notes TO worker')
    const store = postgresStore(databases.poolOf(database.replace('postgres:postgres@', 'worker:worker@')))
    await store.migrate()
    const answer = await store.claim(request)
    expect(answer.status === 'claimed' && (await store.commit(answer.claim))).toBe('committed')
    expect(await store.forget('default', 'one')).toBe('forgotten')
    expect(await store.prune()).toBe(0)
  })

  it('keeps to the search_path of the connection', async () => {
    const url = await databases.emptyDatabase()
    const pool = databases.poolOf(url)
    await pool.query('CREATE SCHEMA webhooks')
    await pool.query(`ALTER ROLE postgres IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path = webhooks`)
    const store = postgresStore(databases.poolOf(url))
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
    expect((await pool.query('SELECT event_id FROM webhooks.notewire_events')).rows).toEqual([{ event_id: 'one' }])
  })

  it('leaves instances of the version before at work, on the same tables', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
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
  ['notewire_claim_1', CLAIM_FUNCTION, 'ac40de9f8d0111f4'],
  ['notewire_commit_1', COMMIT_FUNCTION, '63457376d50bf2c7'],
  ['notewire_lease_1', LEASE_FUNCTION, '35279d3fcc9436f3'],
])('%s is what it was: databases that have it keep it, so that a change needs a new number', (name, text, digest) => {
  expect(text).toContain(`FUNCTION ${name}(`)
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
})
