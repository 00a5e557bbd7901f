import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aLiveState, aNote, aState, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const NUMBERS = Array.from({ length: 60 }, (_, index) => index)
const ERASED = NUMBERS.filter((index) => index % 3 > 0)

it('the documented VACUUM removes erased notes from the files of the tables and indexes, and keeps all other notes', async () => {
  const pool = databases.poolOf(await databases.emptyDatabase())
  const store = postgresMirror(pool)
  await store.migrate()
  const shown = NUMBERS.map((index) => ({
    state: aLiveState(`note ${index}`),
    content: {
      note: aNote(`note ${index}`, { title: `secret${index}x`, content: `and so on secret${index}x `.repeat(30) }),
      transcript: aTranscript(`note ${index}`, `secret${index}x`),
    },
    expectedVersion: 0,
    announce: 'appeared' as const,
  }))
  expect(await store.commit('default', { notes: shown })).toBe('committed')
  expect(await foundIn(pool)).toEqual(NUMBERS)
  const erased = ERASED.map((index) => ({
    state: aState(`note ${index}`, { presence: 'gone' }),
    content: 'erase' as const,
    expectedVersion: 1,
    announce: 'vanished' as const,
  }))
  expect(await store.commit('default', { notes: erased })).toBe('committed')
  await pool.query('VACUUM (FULL) notewire_mirror_content')
  expect(await foundIn(pool)).toEqual(NUMBERS.filter((index) => !ERASED.includes(index)))
})

/** Returns the notes with a word in any file of the database, after a checkpoint. */
async function foundIn(pool: Pool): Promise<readonly number[]> {
  await pool.query('CHECKPOINT')
  const { rows } = await pool.query<{ folder: string }>(
    `SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()`,
  )
  const folder = rows[0]?.folder ?? ''
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')))
  return NUMBERS.filter((index) => files.some((bytes) => bytes.includes(`secret${index}x`)))
}
