import { existsSync } from 'node:fs'
import { betterSqlite, durableObjectSqlite, NodeSqliteMissingError } from '@notewire/storage'
import Database from 'better-sqlite3'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { integrationsOf } from '../../../fixtures/integrations-of.ts'
import { aLiveState, aNote } from '../../../fixtures/store-checks/builders.ts'
import { mirrorStoreChecks } from '../../../fixtures/store-checks/mirror-store-checks.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { objectStorage } from '../../../fixtures/stores/sqlite/object-storage.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const stores = {
  'node:sqlite, in a file': () => sqliteMirror(temporaryPath(onTestFinished)),
  'node:sqlite, in memory': () => sqliteMirror(':memory:'),
  'better-sqlite3, in a file': () => sqliteMirror(betterSqlite(new Database(temporaryPath(onTestFinished)))),
  'the storage of a Durable Object': () => sqliteMirror(durableObjectSqlite(objectStorage())),
}

describe.each(Object.entries(stores))('the mirror in %s', (_where, open) => {
  for (const { name, run } of mirrorStoreChecks) {
    it(name, async () => {
      const store = open()
      await store.migrate()
      await run(store)
      await store.close?.()
    })
  }
})

it('takes a leftover lease at once in a Durable Object, which has one process', async () => {
  const storage = objectStorage()
  const request = { now: 1_000, until: 31_000, worker: 'a test', maxRank: 3 }
  const evicted = sqliteMirror(durableObjectSqlite(storage))
  await evicted.migrate()
  await integrationsOf(evicted).put('default', 'first', 1_000)
  expect((await evicted.integrations.take(request))?.record.token).toBe(1)
  expect(await evicted.integrations.take(request)).toBeUndefined()
  const next = sqliteMirror(durableObjectSqlite(storage))
  await next.migrate()
  expect((await next.integrations.take(request))?.record.token).toBe(2)
})

describe('a path', () => {
  it('is opened when the store is first used', async () => {
    const path = temporaryPath(onTestFinished)
    const store = sqliteMirror(path)
    expect(existsSync(path)).toBe(false)
    await store.migrate()
    expect(existsSync(path)).toBe(true)
    await store.close?.()
  })

  it('keeps its data between processes, and for a store that was closed', async () => {
    const path = temporaryPath(onTestFinished)
    const store = sqliteMirror(path)
    await store.migrate()
    const { sequence } = await store.load('default', [])
    const notes = [{ state: aLiveState('note_1'), expectedVersion: 0, content: { note: aNote('note_1') } }]
    await store.commit('default', { notes })
    await store.close?.()
    for (const again of [store, sqliteMirror(path)]) {
      expect((await reads(again).getNote('default', 'note_1'))?.note).toEqual(aNote('note_1'))
      expect((await again.load('default', [])).sequence).toBeGreaterThan(sequence)
      await again.close?.()
    }
  })

  it('is rejected with an explanation if the runtime has no node:sqlite', async () => {
    const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    await expect(sqliteMirror('notes.db').migrate()).rejects.toThrow(NodeSqliteMissingError)
    missing.mockRestore()
  })
})

describe('a database', () => {
  it('that was never migrated causes SqliteNotMigratedError', async () => {
    await expect(sqliteMirror(':memory:').load('default', [])).rejects.toMatchObject({
      code: 'sqlite_not_migrated',
      message: expect.stringContaining('await store.migrate()'),
    })
  })

  it.each(['', undefined, new Database(':memory:')])('must be a path or a driver: %s', (database) => {
    expect(() => sqliteMirror(database as string)).toThrow(/needs the path of a file.*or a driver/)
  })
})

describe('a note whose transcript and summary must be read', () => {
  const unsettled = aLiveState('note_1', { settledRevision: null, dueAt: 1_000 })
  const content = { note: aNote('note_1', { title: 'Walrus' }) }

  it('is found as soon as they are read', async () => {
    const store = sqliteMirror(':memory:')
    await store.migrate()
    await store.commit('default', { notes: [{ state: unsettled, expectedVersion: 0, content }] })
    const settled = { state: aLiveState('note_1'), content: { transcript: null, summary: null } }
    await store.commit('default', { notes: [{ ...settled, expectedVersion: 1 }] })
    expect(await reads(store).search('default', ['walrus'], 10)).toHaveLength(1)
    await store.close?.()
  })

  it('is found when the store tidies up, even if they are not read yet', async () => {
    const store = sqliteMirror(':memory:')
    await store.migrate()
    await store.commit('default', { notes: [{ state: unsettled, expectedVersion: 0, content }] })
    expect(await reads(store).search('default', ['walrus'], 10)).toHaveLength(0)
    while (await store.tidy?.());
    expect(await reads(store).search('default', ['walrus'], 10)).toHaveLength(1)
    const renamed = { note: aNote('note_1', { title: 'Badger' }) }
    await store.commit('default', { notes: [{ state: unsettled, expectedVersion: 1, content: renamed }] })
    expect(await reads(store).search('default', ['walrus'], 10)).toHaveLength(0)
    expect(await reads(store).search('default', ['badger'], 10)).toHaveLength(1)
    await store.close?.()
  })
})
