import { createHash } from 'node:crypto'
import { isInstalled, startPgBouncer } from 'notewire-test-servers'
import type { Pool } from 'pg'
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

    const ofNextVersion = (text: string) => text.replaceAll(/(notewire_[a-z]+)_[12]\b/g, '$1_3')
    const after = postgresStore({ query: (text, values) => pool.query(ofNextVersion(text), values) })
    await after.migrate()
    expect((await after.claim(request)).status).toBe('busy')
    expect(claim.status === 'claimed' && (await before.commit(claim.claim))).toBe('committed')
    expect((await after.claim(request)).status).toBe('duplicate')
    expect(ofNextVersion(MIGRATION)).not.toBe(MIGRATION)
  })
})

describe('tables of the version before', () => {
  const at = (kind: 'note.updated' | 'note.deleted', revision: number, occurredAt: number) => ({
    ...request,
    eventId: `${kind} ${revision} ${occurredAt}`,
    note: { noteId: 'gone', change: { kind, revision, occurredAt } },
  })

  async function databaseOfVersion1(): Promise<Pool> {
    const pool = databases.poolOf(await databases.emptyDatabase())
    await pool.query(`
      CREATE TABLE notewire_notes (
        integration text COLLATE "C" NOT NULL, note_id text COLLATE "C" NOT NULL, fencing_token bigint NOT NULL,
        lease_ends_at timestamptz, kept_until timestamptz, revision bigint, deleted boolean, seen text[],
        PRIMARY KEY (integration, note_id)
      );
      INSERT INTO notewire_notes VALUES ('default', 'gone', 1, NULL, 'infinity', 5, true, '{note.deleted}');
    `)
    return pool
  }

  it('keep their deletions, which only a higher revision ends, since their time is not known', async () => {
    const store = postgresStore(await databaseOfVersion1())
    await store.migrate()
    expect(await store.claim(at('note.updated', 5, 30))).toEqual({ status: 'stale', appliedRevision: 5 })
    const deletion = await store.claim(at('note.deleted', 5, 10))
    expect(deletion.status === 'claimed' && (await store.commit(deletion.claim))).toBe('committed')
    expect(await store.claim(at('note.updated', 5, 30))).toEqual({ status: 'stale', appliedRevision: 5 })
    expect((await store.claim(at('note.updated', 6, 30))).status).toBe('claimed')
  })

  it('take no time of an earlier deletion for that of one which an instance of the version before has applied', async () => {
    const pool = await databaseOfVersion1()
    const store = postgresStore(pool)
    await store.migrate()
    const deletion = await store.claim(at('note.deleted', 6, 10))
    expect(deletion.status === 'claimed' && (await store.commit(deletion.claim))).toBe('committed')
    await pool.query("UPDATE notewire_notes SET revision = 7, deleted = true, seen = '{note.deleted}'")
    expect(await store.claim(at('note.updated', 7, 30))).toEqual({ status: 'stale', appliedRevision: 7 })
  })
})

it.each([
  ['notewire_claim_2', CLAIM_FUNCTION, 'f56df7c2419a701b'],
  ['notewire_commit_2', COMMIT_FUNCTION, '4284dea2985f74ed'],
  ['notewire_lease_1', LEASE_FUNCTION, '24d931762b634ccf'],
])('%s is what it was: databases that have it keep it, so that a change needs a new number', (name, text, digest) => {
  expect(text).toContain(`FUNCTION ${name}(`)
  expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
})
