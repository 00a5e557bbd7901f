import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { nodeSqlite, type SqliteDriver } from '@notewire/storage'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

it('numbers and positions that a power cut has undone are never reused', async () => {
  const path = temporaryPath(onTestFinished)
  const before = sqliteMirror(path)
  await before.migrate()
  const last = new Map<string, Numbers>()
  for (const integration of ['one', 'two']) last.set(integration, await announceOne(before, integration))
  await before.close?.()
  for (let cuts = 0; cuts < 3; cuts += 1) {
    const store = sqliteMirror(losingAtPowerCut(path))
    await store.migrate()
    for (const integration of ['one', 'two', 'one']) {
      const next = await announceOne(store, integration)
      expect(next.sequence).toBeGreaterThan(last.get(integration)?.sequence ?? Number.NaN)
      expect(next.position).toBeGreaterThan(last.get(integration)?.position ?? Number.NaN)
      last.set(integration, next)
    }
    await store.close?.()
  }
})

it('the first write of a process skips the numbers of its integration only', async () => {
  const path = temporaryPath(onTestFinished)
  const before = sqliteMirror(path)
  await before.migrate()
  for (const integration of ['one', 'two']) await announceOne(before, integration)
  await before.close?.()
  const store = sqliteMirror(path)
  onTestFinished(() => store.close?.())
  const untouched = await store.readProgress('two')
  expect((await announceOne(store, 'one')).sequence).toBeGreaterThan(1_000_000)
  expect(await store.readProgress('two')).toEqual(untouched)
})

interface Numbers {
  readonly sequence: number
  readonly position: number
}

/** Announces a new note like a read, whose commit is not flushed unless it is the first of the process. */
async function announceOne(store: SqliteMirror, integration: string): Promise<Numbers> {
  const noteId = crypto.randomUUID()
  const { sequence } = await store.load(integration, [noteId])
  const notes = [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }] as const
  expect(await store.commit(integration, { notes })).toBe('committed')
  return { sequence, position: await reads(store).latestPosition(integration) }
}

/** A driver that, when it is closed, restores the files to their state at the last flush. */
function losingAtPowerCut(path: string): SqliteDriver {
  const inner = nodeSqlite(path)
  const files = [path, `${path}-wal`]
  const keep = () => {
    for (const file of files) replace(`${file}.flushed`, file)
  }
  keep()
  return {
    async batch(statements, outlives) {
      const rows = await inner.batch(statements, outlives)
      if (outlives === 'power-cut') keep()
      return rows
    },
    close() {
      inner.close?.()
      for (const file of files) replace(file, `${file}.flushed`)
    },
  }
}

function replace(file: string, source: string): void {
  rmSync(file, { force: true })
  if (existsSync(source)) copyFileSync(source, file)
}
