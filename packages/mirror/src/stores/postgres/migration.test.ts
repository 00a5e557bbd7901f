import { OptionError } from '@notewire/protocol'
import { migrationOf } from '@notewire/storage'
import { isInstalled, startPgBouncer, tableDefinitions } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aLiveState, aNote } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { unknownNote } from '../../notes/note-state.ts'
import { madeSingle, newIntegration } from '../../rules/schedule-rule.ts'
import { PostgresNotMigratedError, PostgresTimeoutError, postgresMirror } from './index.ts'
import { MIRROR_TABLES } from './migration.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const TABLES = [
  'notewire_integrations',
  'notewire_mirror_consumer_notes',
  'notewire_mirror_consumers',
  'notewire_mirror_content',
  'notewire_mirror_notes',
  'notewire_mirror_runs',
  'notewire_mirror_sequences',
  'notewire_mirror_version',
  'notewire_mirrors',
] as const

const notes = [{ state: unknownNote('note_1'), expectedVersion: 0, announce: 'appeared' }] as const

describe('migrate', () => {
  it.each(isInstalled('pgbouncer') ? ['directly', 'through PgBouncer'] : ['directly'])(
    'may be called by eight instances concurrently, and again, %s',
    async (way) => {
      const { emptyDatabase, poolOf, cleanUp } = databases
      const database = await emptyDatabase()
      const url = way === 'directly' ? database : cleanUp.use(await startPgBouncer(database)).url
      const pools = Array.from({ length: 8 }, () => poolOf(url))
      await Promise.all(pools.map((pool) => pool.query('SELECT 1')))
      await Promise.all(pools.map((pool) => postgresMirror(pool).migrate()))
      await Promise.all(pools.map((pool) => postgresMirror(pool).migrate()))
      const { rows } = await poolOf(database).query(
        "SELECT relname FROM pg_class WHERE relname ~ '^notewire' AND relkind = 'r' ORDER BY relname COLLATE \"C\"",
      )
      expect(rows.map(({ relname }) => relname)).toEqual(TABLES)
    },
  )

  it('needs no right to create anything if nothing is missing', async () => {
    const { emptyDatabase, poolOf } = databases
    const database = await emptyDatabase()
    const owner = poolOf(database)
    await postgresMirror(owner).migrate()
    await owner.query("CREATE ROLE worker LOGIN PASSWORD 'worker'")
    await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${TABLES.join(', ')} TO worker`)
    const store = postgresMirror(poolOf(database.replace('postgres:postgres@', 'worker:worker@')))
    await store.migrate()
    expect((await store.load('default', [])).sequence).toBe(1)
    expect(await store.commit('default', { notes, heardAt: 1 })).toBe('committed')
    expect((await store.readDue('default', { dueBy: 1, limit: 1 })).sequence).toBe(1)
    expect(await reads(store).search('default', ['word'], 1)).toEqual([])
  })

  it('uses the search_path of the connection', async () => {
    const { emptyDatabase, poolOf } = databases
    const url = await emptyDatabase()
    const pool = poolOf(url)
    await pool.query('CREATE SCHEMA mirrors')
    await pool.query(`ALTER ROLE postgres IN DATABASE ${new URL(url).pathname.slice(1)} SET search_path = mirrors`)
    const store = postgresMirror(poolOf(url))
    await store.migrate()
    expect(await store.commit('default', { notes })).toBe('committed')
    expect((await pool.query('SELECT note_id FROM mirrors.notewire_mirror_notes')).rows).toEqual([
      { note_id: 'note_1' },
    ])
  })

  it('does not disturb instances of the previous version on the same tables', async () => {
    const pool = databases.poolOf(await databases.emptyDatabase())
    const before = postgresMirror(pool)
    await before.migrate()
    expect((await before.load('default', [])).sequence).toBe(1)

    const functions = new RegExp(`\\b(${MIRROR_TABLES.functions.join('|')})\\b`, 'g')
    const ofNextVersion = (text: string) => text.replaceAll(functions, '$1_2')
    const after = postgresMirror({ query: (text, values) => pool.query(ofNextVersion(text), values) })
    await after.migrate()
    expect((await after.load('default', [])).sequence).toBe(2)
    expect(await before.commit('default', { notes })).toBe('committed')
    expect(await after.commit('default', { notes })).toBe('conflict')
  })

  it('works with any setting of standard_conforming_strings', async () => {
    const { emptyDatabase, poolOf } = databases
    const url = await emptyDatabase()
    await poolOf(url).query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET standard_conforming_strings = off`)
    const store = postgresMirror(poolOf(url))
    await store.migrate()
    const text = `Walrus\0 ${'x'.repeat(255)}yes SSS`
    const content = { note: aNote('note_1', { content: text }) }
    await store.commit('default', { notes: [{ state: aLiveState('note_1'), expectedVersion: 0, content }] })
    expect((await reads(store).getNote('default', 'note_1'))?.note).toEqual(content.note)
    for (const word of ['walrus', 'yes', 'sss']) expect(await reads(store).search('default', [word], 1)).toHaveLength(1)
  })

  it('rejects tables of a newer version, and says what to do', async () => {
    const pool = await databases.migratedPool()
    await pool.query('UPDATE notewire_mirror_version SET version = 2')
    await expect(postgresMirror(pool).migrate()).rejects.toMatchObject({
      message: expect.stringContaining('a newer version of @notewire/mirror'),
      hint: expect.stringContaining('Install that version'),
    })
  })

  it('refuses the listings of createMirror of version 0.1.0 on a copy on which this version works', async () => {
    const pool = await databases.migratedPool()
    const store = postgresMirror(pool)
    await store.integrations.write(madeSingle(undefined, newIntegration('one', 'first', 0)), undefined)
    await store.integrations.write(newIntegration('added', 'first', 0), undefined)
    for (const name of ['one', 'added']) await store.load(name, [])
    const list = (name: string, versions: number) =>
      pool.query(
        `UPDATE notewire_mirrors SET progress_version = progress_version + $2, heard_at = now() WHERE integration = $1`,
        [name, versions],
      )
    await expect(list('one', 1)).rejects.toThrow('this process runs version 0.1.0. Update this process.')
    expect((await list('one', 0)).rowCount).toBe(1)
    expect((await list('added', 1)).rowCount).toBe(1)
  })

  it('rejects a database with another encoding than UTF8, and says what to do', async () => {
    const { server, poolOf } = databases
    await poolOf(server.url).query(
      "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'",
    )
    const store = postgresMirror(poolOf(server.url.replace(/postgres$/, 'latin')))
    await expect(store.migrate()).rejects.toMatchObject({
      message: expect.stringContaining('LATIN1'),
      hint: expect.stringContaining('UTF8'),
    })
  })
})

describe('postgres.sql', () => {
  const migration = migrationOf(MIRROR_TABLES)

  it('creates what migrate creates, for a store that may create nothing', async () => {
    const { emptyDatabase, poolOf } = databases
    const [byFile, byProgram] = [poolOf(await emptyDatabase()), poolOf(await emptyDatabase())]
    const store = postgresMirror(byFile, { migrate: false })
    await expect(store.migrate()).rejects.toThrow(PostgresNotMigratedError)
    await expect(store.migrate()).rejects.toThrow('node_modules/@notewire/mirror/postgres.sql')
    expect(await tableDefinitions(byFile)).toEqual([])

    await byFile.query(migration)
    await store.migrate()
    expect(await store.commit('default', { notes })).toBe('committed')
    await postgresMirror(byProgram).migrate()
    expect(await tableDefinitions(byFile)).toEqual(await tableDefinitions(byProgram))
  })

  it('creates the tables in the first schema of the search_path', async () => {
    const { emptyDatabase, poolOf } = databases
    const pool = poolOf(await emptyDatabase())
    const client = await pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('CREATE SCHEMA "Notes-1"; SET search_path TO "Notes-1"')
    await client.query(migration)
    const store = postgresMirror(pool, { schema: 'Notes-1', migrate: false })
    await store.migrate()
    expect(await store.commit('default', { notes })).toBe('committed')
    expect(await tableDefinitions(pool)).toEqual([])
  })
})

describe('the option schema', () => {
  it('creates everything in its own schema, isolated from other schemas', async () => {
    const { emptyDatabase, poolOf } = databases
    const pool = poolOf(await emptyDatabase())
    for (const schema of ['one', 'Two-2', 'select']) {
      const store = postgresMirror(pool, { schema })
      await store.migrate()
      await store.migrate()
      expect(await store.commit('default', { notes })).toBe('committed')
      expect((await tableDefinitions(pool, schema)).length).toBeGreaterThan(10)
    }
    expect(await tableDefinitions(pool)).toEqual([])
  })

  it('needs no right to create a schema that exists', async () => {
    const { emptyDatabase, poolOf } = databases
    const url = await emptyDatabase()
    await poolOf(url).query(`
      CREATE ROLE mirror_owner LOGIN PASSWORD 'owner'; CREATE SCHEMA notes AUTHORIZATION mirror_owner;
      REVOKE CREATE ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`)
    const store = postgresMirror(poolOf(url.replace('postgres:postgres@', 'mirror_owner:owner@')), { schema: 'notes' })
    await store.migrate()
    expect(await store.commit('default', { notes })).toBe('committed')
  })

  it.each(['', '1st', 'a"b', "a'b", 'a$b', 'a.b', 'x'.repeat(64), 'é'])('rejects %j', (schema) => {
    expect(() => postgresMirror(databases.poolOf(databases.server.url), { schema })).toThrow(OptionError)
  })
})

it('gives up a migration that waits 10 s for a lock', async () => {
  const pool = await databases.migratedPool()
  const client = await pool.connect()
  onTestFinished(() => client.release(true))
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${MIRROR_TABLES.lock})`)
  await pool.query('DROP FUNCTION notewire_mirror_load_notes')
  await expect(postgresMirror(pool).migrate()).rejects.toThrow(PostgresTimeoutError)
})
