import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { nodeSqlite, type SqliteDriver } from '@notewire/webhooks/storage'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState } from '../../testing/checks/builders.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

it('numbers and positions that a power cut has undone are never reused', async () => {
  const path = temporaryPath(onTestFinished)
  const before = sqliteMirror(path)
  await before.migrate()
  let last = await announceOne(before, 'before')
  await before.close?.()
  for (const noteId of ['first', 'second', 'third']) {
    const store = sqliteMirror(losingAtPowerCut(path))
    await store.migrate()
    const next = await announceOne(store, noteId)
    expect(next.sequence).toBeGreaterThan(last.sequence)
    expect(next.position).toBeGreaterThan(last.position)
    last = next
    await store.close?.()
  }
})

/** Announces a note like a read, whose commit is not flushed. */
async function announceOne(store: SqliteMirror, noteId: string) {
  const { sequence } = await store.load('default', [noteId])
  const notes = [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }] as const
  expect(await store.commit('default', { notes })).toBe('committed')
  return { sequence, position: await store.latestPosition('default') }
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
