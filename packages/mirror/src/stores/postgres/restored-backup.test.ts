import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mirroredService } from '../../../fixtures/mirrored-service.ts'
import { anyLives, playLives, type RestorableDatabase } from '../../../fixtures/restored-feed.ts'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { type Mirror, openMirror } from '../../index.ts'
import { NO_PROGRESS } from '../../integrations/progress.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

describe('a position is rejected if and only if the restored tables lack the changes up to it', () => {
  it.each([
    ['processes that are started again', false],
    ['processes that run meanwhile', true],
  ] as const)('with %s', { timeout: 120_000 }, async (_processes, outlivesRestoring) => {
    const pool = await databases.migratedPool()
    const observed = { accepted: 0, refused: 0 }
    let run = 0
    await fc.assert(
      fc.asyncProperty(anyLives, async (steps) => {
        run += 1
        const { accepted, refused } = await playLives(steps, tablesOf(pool, outlivesRestoring), `run-${run}`)
        observed.accepted += accepted
        observed.refused += refused
      }),
      { numRuns: 12 },
    )
    // Histories with few effects would prove little.
    expect(observed.accepted).toBeGreaterThan(10)
    expect(observed.refused).toBeGreaterThan(10)
  })
})

it('a database that is replaced by its backup under a running mirror rejects positions of its later life', async () => {
  const { server, poolOf, emptyDatabase } = databases
  const url = await emptyDatabase()
  const name = new URL(url).pathname.slice(1)
  const admin = poolOf(server.url)
  const pool = poolOf(url)
  pool.on('error', () => undefined)
  await using world = await mirroredService({}, { store: postgresMirror(pool) })
  const { service, mirror } = world
  const record = async (title: string) => {
    service.owner.record({ title }).end({ summary: false })
    await service.clock.advance(60_000)
    await mirror.sync()
  }
  const endOfFeed = async () => (await mirror.status()).position
  const toldAfter = async (after: string | null) => {
    const told: string[] = []
    for await (const { noteId } of mirror.changes({ after })) told.push(noteId)
    return told
  }

  await record('before the backup')
  const kept = await endOfFeed()
  await disconnectAll(admin, name)
  await admin.query(`CREATE DATABASE backup TEMPLATE ${name}`)
  await record('after the backup')
  await record('after the backup, too')
  const lost = await endOfFeed()

  await disconnectAll(admin, name)
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await admin.query(`ALTER DATABASE backup RENAME TO ${name}`)
  await expect(toldAfter(lost)).rejects.toMatchObject({ code: 'position_lost' })
  expect(await toldAfter(kept)).toEqual([])
  for (let more = 0; more < 5; more += 1) await record(`of the second life ${more}`)
  await expect(toldAfter(lost)).rejects.toMatchObject({ code: 'position_lost' })
  await expect(toldAfter(lost)).rejects.toThrow(/restored from a backup.*Empty your index, and pass no position/)
  expect(await toldAfter(kept)).toHaveLength(7)
})

describe('after its rows were restored, a process that still runs begins another run', () => {
  async function copyIn(pool: Pool) {
    const store = postgresMirror(pool)
    await store.commit('default', { notes: [], progress: { ...NO_PROGRESS, copyId: 'copy-1' } })
    const mirror = openMirror({ store })
    const announce = async (noteIds: string, by = store) => {
      for (const noteId of noteIds) {
        const notes = [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }] as const
        await by.load('default', [noteId])
        expect(await by.commit('default', { notes })).toBe('committed')
      }
      return (await mirror.status()).position
    }
    const noteIdsAfter = async (after: string | null) => {
      const noteIds: string[] = []
      for await (const { noteId } of mirror.changes({ after })) noteIds.push(noteId)
      return noteIds.join('')
    }
    return { announce, noteIdsAfter }
  }

  it('if it has written a later change', async () => {
    const pool = await databases.migratedPool()
    const { announce, noteIdsAfter } = await copyIn(pool)
    const kept = await announce('ab')
    const restore = await tablesOf(pool, false).backUp()
    const lost = await announce('cde')
    await restore()
    await announce('fghi')
    await expect(noteIdsAfter(lost)).rejects.toMatchObject({ code: 'position_lost' })
    expect(await noteIdsAfter(kept)).toBe('fghi')
  })

  it('if another process has written the later changes, and the tables have other files', async () => {
    const pool = await databases.migratedPool()
    const { announce, noteIdsAfter } = await copyIn(pool)
    await announce('a')
    const other = postgresMirror(pool)
    const kept = await announce('b', other)
    const restore = await tablesOf(pool, true).backUp()
    const lost = await announce('c', other)
    await restore()
    await announce('def')
    await expect(noteIdsAfter(lost)).rejects.toMatchObject({ code: 'position_lost' })
    expect(await noteIdsAfter(kept)).toBe('def')
  })
})

it('a replica that lags yields nothing after a later position, until it has received it', async () => {
  const pool = await databases.migratedPool()
  const replica = await databases.migratedPool()
  const mirrorOn = (query: Pool['query']) => openMirror({ store: postgresMirror({ query }) })
  const onPrimary = mirrorOn(pool.query.bind(pool))
  const onReplica = mirrorOn(((text: string, values: unknown[]) =>
    replica.query(text.replaceAll('pg_is_in_recovery()', 'true'), values)) as Pool['query'])
  const catchUp = async () => {
    const { rows: tables } = await pool.query<{ readonly name: string; readonly columns: string }>(TABLES)
    for (const { name, columns } of tables) {
      const { rows } = await pool.query(`SELECT json_agg(${name}) AS all_rows FROM ${name}`)
      await replica.query(`DELETE FROM ${name}`)
      const insert = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)`
      await replica.query(insert, [JSON.stringify(rows[0]?.all_rows ?? [])])
    }
  }
  await using world = await mirroredService({}, { store: postgresMirror(pool) })
  const record = async (mirror: Mirror) => {
    world.service.owner.record({ title: 'note' }).end({ summary: false })
    await world.service.clock.advance(60_000)
    await mirror.sync()
  }
  await record(world.mirror)
  await catchUp()
  for (const mirror of [world.mirror, world.another({ store: postgresMirror(pool) })]) {
    await record(mirror)
    const { position } = await onPrimary.status()
    const changes = async () => await onReplica.changes({ after: position })[Symbol.asyncIterator]().next()
    expect(await changes()).toMatchObject({ done: true })
    await catchUp()
    expect(await changes()).toMatchObject({ done: true })
    await record(mirror)
    await catchUp()
    expect(await changes()).toMatchObject({ done: false, value: { kind: 'added' } })
  }
})

/** The tables of a database, whose backups are other tables. */
function tablesOf(pool: Pool, outlivesRestoring: boolean): RestorableDatabase {
  return {
    outlivesRestoring,
    open: () => postgresMirror(pool),
    async backUp() {
      const backup = `backup_${crypto.randomUUID().replaceAll('-', '')}`
      const { rows: tables } = await pool.query<{ readonly name: string; readonly columns: string }>(TABLES)
      await pool.query(`CREATE SCHEMA ${backup}`)
      for (const { name, columns } of tables)
        await pool.query(`CREATE TABLE ${backup}.${name} AS SELECT ${columns} FROM ${name}`)
      return async () => {
        for (const { name, columns } of tables) {
          // A running process cannot distinguish rows that were deleted and inserted from its own.
          await pool.query(outlivesRestoring ? `TRUNCATE ${name}` : `DELETE FROM ${name}`)
          await pool.query(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${backup}.${name}`)
        }
      }
    },
  }
}

const TABLES = `SELECT table_name AS name, string_agg(column_name, ', ') FILTER (WHERE is_generated = 'NEVER') AS columns
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_name LIKE 'notewire%' AND table_type = 'BASE TABLE'
  GROUP BY table_name`

async function disconnectAll(admin: Pool, name: string): Promise<void> {
  await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
}
