import { readFile } from 'node:fs/promises'
import { migrationOf } from '@notewire/storage'
import { postgresStore } from '@notewire/webhooks/postgres'
import { storeChecks } from '@notewire/webhooks/testing'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manyCustomers } from '../../../fixtures/many-customers.ts'
import { mirroredService } from '../../../fixtures/mirrored-service.ts'
import { mirrorStoreChecks } from '../../../fixtures/store-checks/mirror-store-checks.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { postgresMirror } from './index.ts'
import { MIRROR_TABLES } from './migration.ts'

// Runs the SQL of docs/operate/postgresql-roles.md, then the stores of the receiver and of the mirror as the role of the program.
const OPTIONS = { schema: 'notewire', migrate: false }

let databases: TestDatabases
let recipe: { readonly roles: string; readonly rights: string; readonly query: string }
let owner: Pool
let app: Pool
let reader: Pool

beforeAll(async () => {
  databases = await startDatabases()
  const [roles = '', rights = '', query = ''] = await sqlOfThePage()
  recipe = { roles, rights, query }
  const url = await databases.emptyDatabase()
  await databases.poolOf(url).query(roles)
  // The recipe must not depend on the right of every role to call every function.
  await databases
    .poolOf(url)
    .query('ALTER DEFAULT PRIVILEGES FOR ROLE notewire_owner REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC')
  const poolOf = (role: string) => databases.poolOf(url.replace('postgres:postgres@', `${role}@`))
  owner = poolOf('notewire_owner')
  app = poolOf('notewire_app')
  reader = poolOf('notewire_reader')
  await migrateAndGrant()
  await postgresMirror(owner, { schema: 'notewire' }).migrate()
})
afterAll(() => databases.cleanUp.disposeAsync())

describe('the role of the program', () => {
  for (const { name, run } of storeChecks) {
    it(`runs the store of a receiver: ${name}`, () => run(postgresStore(app, OPTIONS)))
  }

  for (const { name, run } of mirrorStoreChecks) {
    it(`runs the store of a mirror: ${name}`, () => run(postgresMirror(app, OPTIONS)))
  }

  it('finds the migration complete, and prunes what has expired', async () => {
    const store = postgresStore(app, OPTIONS)
    await store.migrate()
    await postgresMirror(app, OPTIONS).migrate()
    const request = {
      integration: 'acme',
      eventId: 'expired',
      gate: 'deletions-at-equal',
      leaseMs: 20_000,
      keepMs: 0,
    } as const
    const claimed = await store.claim(request)
    expect(claimed.status === 'claimed' && (await store.commit(claimed.claim))).toBe('committed')
    expect(await store.prune()).toBeGreaterThan(0)
  })

  it('keeps one mirror up to date', async () => {
    await using world = await mirroredService({ notes: 3 }, { store: postgresMirror(app, OPTIONS), integration: 'one' })
    expect(await world.mirror.sync()).toMatchObject({ listed: true, settled: 3 })
    expect((await world.mirror.status()).notes.live).toBe(3)
  })

  it('can neither create nor change a table', async () => {
    for (const statement of [
      'CREATE TABLE notewire.mine ()',
      'ALTER TABLE notewire.notewire_mirror_notes DISABLE ROW LEVEL SECURITY',
    ]) {
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('has row-level security on every table', async () => {
    const { rows } = await owner.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'notewire'::regnamespace AND relkind = 'r' AND NOT relrowsecurity",
    )
    expect(rows).toEqual([])
  })
})

describe('the role of readers', () => {
  it('sees only the notes of the integration that its transaction names, also after an upgrade', async () => {
    await using world = await manyCustomers(2, { store: postgresMirror(app, OPTIONS) })
    const [first, second] = world.customers
    first?.write('Budget of the first')
    second?.write('Budget of the second')
    for (const { integration } of world.customers) await world.mirrors.add(integration)
    await world.mirrors.work({ budgetMs: 60_000 })
    expect(await world.titles('customer-1')).toEqual(['Budget of the second'])

    const query = recipe.query.replace("'acme'", "'customer-0'")
    for (const upgrade of [async () => undefined, migrateAndGrant]) {
      await upgrade()
      expect(rowsIn(await reader.query(query))).toContainEqual([
        { note_id: expect.any(String), title: 'Budget of the first' },
      ])
      for (const name of ['live_notes', 'mirror_notes', 'mirror_content']) {
        expect((await reader.query(`SELECT * FROM notewire.notewire_${name}`)).rows).toEqual([])
      }
    }
    await expect(reader.query('SELECT * FROM notewire.notewire_events')).rejects.toMatchObject({ code: '42501' })
    await expect(reader.query('DELETE FROM notewire.notewire_mirror_notes')).rejects.toMatchObject({ code: '42501' })
  })
})

/** Runs both migrations and `rights.sql` in one transaction of the owner, as `psql --single-transaction` does. */
async function migrateAndGrant(): Promise<void> {
  const client: PoolClient = await owner.connect()
  try {
    await client.query('BEGIN')
    await client.query('SET LOCAL search_path TO notewire')
    // A migration whose functions all exist does nothing: an upgrade has a new function.
    await client.query('DROP FUNCTION IF EXISTS notewire_mirror_load_notes')
    await postgresStore(client, { schema: 'notewire' }).migrate()
    await client.query(migrationOf(MIRROR_TABLES))
    await client.query(recipe.rights)
    await client.query('COMMIT')
  } finally {
    client.release(true)
  }
}

/** The SQL of the page: the roles, the rights, and the query of a reader. */
async function sqlOfThePage(): Promise<readonly string[]> {
  const page = await readFile(new URL('../../../../../docs/operate/postgresql-roles.md', import.meta.url), 'utf8')
  return [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
}

/** The rows of each statement. */
function rowsIn(results: unknown): readonly unknown[] {
  return Array.isArray(results) ? results.map(({ rows }) => rows) : []
}
