import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { OptionError } from '@notewire/protocol'
import { migrationOf } from '@notewire/storage'
import { isInstalled, startPgBouncer, tableDefinitions } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import { PostgresNotMigratedError, PostgresTimeoutError, postgresStore } from './index.ts'
import { RECEIVER_TABLES } from './migration.ts'

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
    'may be called by twenty connections at once, and repeatedly, %s',
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

  it('needs no right to create anything if nothing is missing', async () => {
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

  it('uses the search_path of the connection', async () => {
    const url = await databases.emptyDatabase()
    const pool = databases.poolOf(url)
    await pool.query('CREATE SCHEMA webhooks')
    await pool.query(`ALTER ROLE postgres IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path = webhooks`)
    const store = postgresStore(databases.poolOf(url))
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
    expect((await pool.query('SELECT event_id FROM webhooks.notewire_events')).rows).toEqual([{ event_id: 'one' }])
  })

  it('lets instances of a version with other functions continue on the same tables', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    const before = postgresStore(pool)
    await before.migrate()
    const claim = await before.claim(request)

    const ofNextVersion = (text: string) => text.replaceAll(/notewire_(?!events|notes)[a-z_]+\b/g, '$&_2')
    const after = postgresStore({ query: (text, values) => pool.query(ofNextVersion(text), values) })
    await after.migrate()
    expect((await after.claim(request)).status).toBe('busy')
    expect(claim.status === 'claimed' && (await before.commit(claim.claim))).toBe('committed')
    expect((await after.claim(request)).status).toBe('duplicate')
  })
})

it('leases and commits of version 0.1.0 count, and those of this version count for it', async () => {
  const pool = await databases.migratedPool()
  await pool.query(
    await readFile(new URL('../../../fixtures/stores/postgres/functions-of-0.1.0.sql', import.meta.url), 'utf8'),
  )
  const store = postgresStore(pool)
  const ofNote = (eventId: string, leaseMs = 20_000) => ({ ...request, integration: eventId, eventId, leaseMs })
  const claimBefore = async (eventId: string, leaseMs = 20_000): Promise<string> => {
    const values = [eventId, eventId, 'note_1', leaseMs]
    return (await pool.query('SELECT notewire_claim($1, $2, $3, $4::float8) AS result', values)).rows[0].result
  }
  const commitBefore = async (eventId: string, claim: string): Promise<unknown> => {
    const values = [eventId, eventId, `${claim.split(' ')[0]}-_%`, 'note_1']
    const write = 'SELECT notewire_write($1, $2, $3, $4, $3, NULL, 60000, NULL) AS result'
    return (await pool.query(write, values)).rows[0].result
  }

  const held = await claimBefore('held before')
  expect((await store.claim(ofNote('held before'))).status).toBe('busy')
  expect(await commitBefore('held before', held)).not.toBeNull()
  expect((await store.claim(ofNote('held before'))).status).toBe('duplicate')

  expect((await store.claim(ofNote('held now'))).status).toBe('claimed')
  expect(await claimBefore('held now')).toMatch(/^_ \d+-\d+ \d+-\d+ f f t /)

  const late = await claimBefore('late', 1)
  await sleep(10)
  const taken = await store.claim(ofNote('late'))
  expect(await commitBefore('late', late)).toBeNull()
  expect(taken.status === 'claimed' && (await store.commit(taken.claim))).toBe('committed')
})

describe('postgres.sql', () => {
  const migration = migrationOf(RECEIVER_TABLES)

  it('creates what migrate creates, for a store with migrate: false', async () => {
    const { emptyDatabase, poolOf } = databases
    const [byFile, byProgram] = [poolOf(await emptyDatabase()), poolOf(await emptyDatabase())]
    const store = postgresStore(byFile, { migrate: false })
    await expect(store.migrate()).rejects.toThrow(PostgresNotMigratedError)
    await expect(store.migrate()).rejects.toThrow('node_modules/@notewire/webhooks/postgres.sql')
    expect(await tableDefinitions(byFile)).toEqual([])

    await byFile.query(migration)
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
    await postgresStore(byProgram).migrate()
    expect(await tableDefinitions(byFile)).toEqual(await tableDefinitions(byProgram))
  })

  it('creates everything in the first schema of the search_path', async () => {
    const { emptyDatabase, poolOf } = databases
    const pool = poolOf(await emptyDatabase())
    const client = await pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('CREATE SCHEMA "Notes-1"; SET search_path TO "Notes-1"')
    await client.query(migration)
    const store = postgresStore(pool, { schema: 'Notes-1', migrate: false })
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
    expect(await tableDefinitions(pool)).toEqual([])
  })
})

describe('the option schema', () => {
  it('creates the schema, and everything in it', async () => {
    const { emptyDatabase, poolOf } = databases
    const pool = poolOf(await emptyDatabase())
    for (const schema of ['one', 'Two-2', 'select']) {
      const store = postgresStore(pool, { schema })
      await store.migrate()
      await store.migrate()
      expect((await store.claim(request)).status).toBe('claimed')
      expect((await tableDefinitions(pool, schema)).length).toBeGreaterThan(10)
    }
    expect(await tableDefinitions(pool)).toEqual([])
  })

  it('needs no right to create a schema that exists', async () => {
    const { emptyDatabase, poolOf } = databases
    const url = await emptyDatabase()
    await poolOf(url).query(`
      CREATE ROLE webhooks_owner LOGIN PASSWORD 'owner'; CREATE SCHEMA notes AUTHORIZATION webhooks_owner;
      REVOKE CREATE ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`)
    const store = postgresStore(poolOf(url.replace('postgres:postgres@', 'webhooks_owner:owner@')), { schema: 'notes' })
    await store.migrate()
    expect((await store.claim(request)).status).toBe('claimed')
  })

  it.each(['', '1st', 'a"b', "a'b", 'a$b', 'a.b', 'x'.repeat(64), 'é'])('refuses %j', (schema) => {
    expect(() => postgresStore(databases.poolOf(databases.server.url), { schema })).toThrow(OptionError)
  })
})

it('rejects a migration that waits 10 s for a lock', async () => {
  const pool = await databases.migratedPool()
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${RECEIVER_TABLES.lock})`)
  await pool.query('DROP FUNCTION notewire_look_event')
  await expect(postgresStore(pool).migrate()).rejects.toThrow(PostgresTimeoutError)
})
