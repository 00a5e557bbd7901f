import { afterAll, beforeAll, expect, it } from 'vitest'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { newIntegration, removed } from '../../rules/schedule-rule.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases({ durable: true })
})
afterAll(() => databases.cleanUp.disposeAsync())

const notes = [{ state: aLiveState('note_1'), expectedVersion: 0 }]

const removing = removed(newIntegration('default', 'first', 0), 'second', 0)
const stateOf = async (store: MirrorStore) =>
  (await store.integrations.list({ integration: 'default', after: '', limit: 1 }))[0]?.record.state

/** Work that is told of, what it needs before, and what is read after it. */
const WORK: readonly (readonly [string, Work, Work, (store: MirrorStore) => Promise<unknown>, unknown])[] = [
  [
    'an event that was acknowledged',
    (store) => store.load('default', []),
    (store) => store.commit('default', { notes, heardAt: 5 }),
    async (store) => (await store.readProgress('default')).heardAt,
    5,
  ],
  [
    'a position that was told',
    (store) => store.load('default', []),
    (store) => store.commit('default', { notes: notes.map((write) => ({ ...write, announce: 'appeared' as const })) }),
    (store) => reads(store).latestPosition('default'),
    1,
  ],
  [
    'an integration that was added',
    async () => undefined,
    (store) => store.integrations.write(newIntegration('default', 'first', 0), undefined),
    stateOf,
    'active',
  ],
  [
    'a removal that has begun',
    (store) => store.integrations.write(newIntegration('default', 'first', 0), undefined),
    (store) => store.integrations.write(removing, newIntegration('default', 'first', 0)),
    stateOf,
    'removing',
  ],
  ['a migration', async () => undefined, (store) => store.migrate(), stateOf, undefined],
]

type Work = (store: MirrorStore) => Promise<unknown>

it.each(WORK)(
  '%s survives a crash, even if the database commits asynchronously',
  async (what, prepare, work, read, expected) => {
    const url = await databases.emptyDatabase()
    const admin = databases.poolOf(url)
    await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
    await admin.query("ALTER SYSTEM SET wal_writer_delay = '10s'")
    await admin.query('SELECT pg_reload_conf()')
    const store = postgresMirror(databases.poolOf(url))
    if (what !== 'a migration') await store.migrate()
    await prepare(store)
    await admin.query('CHECKPOINT')
    await work(store)
    expect(await read(store)).toBe(expected)
    await databases.server.crashAndRestart()
    expect(await read(postgresMirror(databases.poolOf(url)))).toBe(expected)
  },
)
