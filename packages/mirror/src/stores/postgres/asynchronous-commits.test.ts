import { afterAll, beforeAll, expect, it } from 'vitest'
import { aLiveState } from '../../fixtures/store-checks/builders.ts'
import { reads } from '../../fixtures/store-reads.ts'
import type { MirrorCommit, MirrorStore } from '../mirror-store.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases({ durable: true })
})
afterAll(() => databases.cleanUp.disposeAsync())

const notes = [{ state: aLiveState('note_1'), expectedVersion: 0 }]

it.each<[string, MirrorCommit, (store: MirrorStore) => Promise<unknown>, unknown]>([
  [
    'an event that was acknowledged',
    { notes, heardAt: 5 },
    async (store) => (await store.readProgress('default')).heardAt,
    5,
  ],
  [
    'a position that was told',
    { notes: notes.map((write) => ({ ...write, announce: 'appeared' })) },
    (store) => reads(store).latestPosition('default'),
    1,
  ],
])('%s survives a crash, even if the database commits asynchronously', async (_what, commit, read, expected) => {
  const url = await databases.emptyDatabase()
  const admin = databases.poolOf(url)
  await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
  await admin.query("ALTER SYSTEM SET wal_writer_delay = '10s'")
  await admin.query('SELECT pg_reload_conf()')
  const store = postgresMirror(databases.poolOf(url))
  await store.migrate()
  await store.load('default', [])
  await admin.query('CHECKPOINT')
  expect(await store.commit('default', commit)).toBe('committed')
  expect(await read(store)).toBe(expected)
  await databases.server.crashAndRestart()
  expect(await read(postgresMirror(databases.poolOf(url)))).toBe(expected)
})
