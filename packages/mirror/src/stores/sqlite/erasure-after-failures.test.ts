import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeSqlite, type SqliteDriver } from '@notewire/storage'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState, aNote, aState, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

const SECRETS = ['Zanzibar', 'Quetzalcoatl', 'rhododendron']

it('erased content is overwritten, even by a store whose folder did not exist at its first use', async () => {
  const path = join(dirname(temporaryPath(onTestFinished)), 'made later', 'notes.db')
  const store = sqliteMirror(path)
  onTestFinished(() => store.close?.())
  await expect(store.migrate()).rejects.toThrow(`the folder ${dirname(path)} does not exist`)
  mkdirSync(dirname(path))
  await store.migrate()
  await keepSecrets(store)
  await eraseSecrets(store)
  expect(secretsIn(path)).toEqual([])
})

it('a log that could not be truncated, for any reason, is truncated with the next write', async () => {
  const path = temporaryPath(onTestFinished)
  const inner = nodeSqlite(path)
  let isFull = false
  const driver: SqliteDriver = {
    ...inner,
    batch(statements, outlives) {
      const isCheckpoint = statements[0]?.sql.includes('wal_checkpoint')
      if (isFull && isCheckpoint) throw new Error('database or disk is full')
      return inner.batch(statements, outlives)
    },
  }
  const store = sqliteMirror(driver)
  onTestFinished(() => store.close?.())
  await store.migrate()
  await keepSecrets(store)
  isFull = true
  await eraseSecrets(store)
  expect(secretsIn(path)).toEqual(SECRETS)
  isFull = false
  await store.readDue('default', { dueBy: 0, limit: 1 })
  expect(secretsIn(path)).toEqual([])
})

async function keepSecrets(store: SqliteMirror): Promise<void> {
  const note = aNote('secret', { title: 'To Zanzibar', content: 'Quetzalcoatl '.repeat(600) })
  const content = { note, transcript: aTranscript('secret', 'rhododendron '.repeat(3_000)) }
  await store.commit('default', { notes: [{ state: aLiveState('secret'), expectedVersion: 0, content }] })
}

async function eraseSecrets(store: SqliteMirror): Promise<void> {
  const state = aState('secret', { presence: 'gone' })
  const notes = [{ state, expectedVersion: 1, content: 'erase' }] as const
  expect(await store.commit('default', { notes })).toBe('committed')
}

function secretsIn(path: string): readonly string[] {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file))
  const bytes = files.map((file) => readFileSync(file, 'latin1')).join('')
  return SECRETS.filter((secret) => bytes.includes(secret))
}
