import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { anyLives, playLives, type RestorableDatabase } from '../../../fixtures/restored-feed.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

it('a position is rejected if and only if the restored file lacks the changes up to it', async () => {
  const observed = { accepted: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(anyLives, async (steps) => {
      const { accepted, refused } = await playLives(steps, aFile(), 'default')
      observed.accepted += accepted
      observed.refused += refused
    }),
    { numRuns: 25 },
  )
  // Histories with few effects would prove little.
  expect(observed.accepted).toBeGreaterThan(20)
  expect(observed.refused).toBeGreaterThan(20)
}, 60_000)

/** A file whose backups are copies of it. */
function aFile(): RestorableDatabase {
  const path = temporaryPath(onTestFinished)
  let opened: SqliteMirror[] = []
  let backups = 0
  return {
    outlivesRestoring: false,
    open() {
      const store = sqliteMirror(path)
      opened.push(store)
      return store
    },
    async backUp() {
      backups += 1
      const backup = `${path}.backup-${backups}`
      vacuumInto(path, backup)
      return async () => {
        for (const store of opened) store.close()
        opened = []
        for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
        vacuumInto(backup, path)
      }
    },
  }
}

function vacuumInto(source: string, target: string): void {
  const database = new DatabaseSync(source)
  database.prepare('VACUUM INTO ?').run(target)
  database.close()
}
