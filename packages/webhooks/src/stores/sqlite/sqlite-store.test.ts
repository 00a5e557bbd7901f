import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { storeChecks } from '../../testing/store-checks.ts'
import { betterSqlite } from './better-sqlite.ts'
import { temporaryPath } from './fixtures/temporary-path.ts'
import { NodeSqliteMissingError } from './node-sqlite.ts'
import { sqliteStore } from './sqlite-store.ts'

const stores = {
  'node:sqlite, in a file': () => sqliteStore(temporaryPath(onTestFinished)),
  'node:sqlite, in memory': () => sqliteStore(':memory:'),
  'better-sqlite3, in a file': () => sqliteStore(betterSqlite(new Database(temporaryPath(onTestFinished)))),
  'better-sqlite3, in memory': () => sqliteStore(betterSqlite(new Database(':memory:'))),
}

describe.each(Object.entries(stores))('the store in %s', (_where, open) => {
  for (const { name, run } of storeChecks) {
    it(name, async () => {
      const store = open()
      await store.migrate()
      await run(store)
      await store.close()
    })
  }
})

describe('a path', () => {
  it('is opened when the store is first used, and not before', async () => {
    const { existsSync } = await import('node:fs')
    const path = temporaryPath(onTestFinished)
    const store = sqliteStore(path)
    expect(existsSync(path)).toBe(false)
    await store.migrate()
    expect(existsSync(path)).toBe(true)
    await store.close()
  })

  it('is remembered from one process to the next', async () => {
    const path = temporaryPath(onTestFinished)
    const request = { scope: 's', eventId: 'one', gate: 'strict', leaseMs: 20_000, keepMs: 97_200_000 } as const
    const before = sqliteStore(path)
    await before.migrate()
    const result = await before.claim(request)
    expect(result.status === 'claimed' && (await before.commit(result.claim))).toBe('committed')
    await before.close()
    const after = sqliteStore(path)
    await after.migrate()
    expect(await after.claim(request)).toEqual({ status: 'duplicate' })
    await after.close()
  })

  it('is of no use where the runtime has no node:sqlite, which is said with the ways out', async () => {
    const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    const migrating = sqliteStore('events.db').migrate()
    await expect(migrating).rejects.toThrow(NodeSqliteMissingError)
    await expect(migrating).rejects.toThrow(/Node\.js from 22\.13 on.*better-sqlite3.*d1 on Workers/)
    missing.mockRestore()
  })
})

describe('times', () => {
  it('may be fractions, or for ever', async () => {
    const store = sqliteStore(':memory:', { clock: { now: () => 1_000.5 } })
    await store.migrate()
    const request = {
      scope: 's',
      eventId: 'one',
      gate: 'strict',
      leaseMs: 0.5,
      keepMs: Number.POSITIVE_INFINITY,
    } as const
    const result = await store.claim(request)
    expect(result.status === 'claimed' && (await store.commit(result.claim))).toBe('committed')
    expect(await store.prune()).toBe(0)
    expect(await store.claim(request)).toEqual({ status: 'duplicate' })
  })
})

describe('a database that was never migrated', () => {
  it('says so in SQLite’s words', async () => {
    await expect(sqliteStore(':memory:').prune()).rejects.toThrow('no such table: notewire_events')
  })
})

describe('options', () => {
  it('are refused when nobody knows them', () => {
    // @ts-expect-error a misspelt option
    expect(() => sqliteStore(':memory:', { clok: Date })).toThrow(/sqliteStore has no option "clok"/)
  })

  it('are refused when they cannot work', () => {
    // @ts-expect-error no clock
    expect(() => sqliteStore(':memory:', { clock: Date.now })).toThrow(/clock has no method "now"/)
  })

  it.each(['', undefined, new Database(':memory:')])('are refused without a path or a driver: %s', (database) => {
    expect(() => sqliteStore(database as string)).toThrow(/needs the path of a file.*or a driver/)
  })
})
