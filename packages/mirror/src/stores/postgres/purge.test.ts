import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NoteWrite } from '../../interfaces/note-write.ts'
import type { MirrorStore } from '../../interfaces/store.ts'
import { aLiveState, aNote, aState, aTranscript } from '../../testing/checks/builders.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

const NOTES = 60
const NUMBERS = Array.from({ length: NOTES }, (_, index) => index)
const ERASED = NUMBERS.filter((index) => index % 3 > 0)

describe('purge', () => {
  it('removes erased notes from the files of the tables and indexes, and keeps all other notes', async () => {
    const { pool, store, write, left } = await withNotes()
    expect(await left(NUMBERS)).toEqual(NUMBERS)
    await write(ERASED, 'erase')
    await store.purge()
    expect(await left(ERASED)).toEqual([])
    const kept = NUMBERS.filter((index) => !ERASED.includes(index))
    expect(await left(kept)).toEqual(kept)
    expect(await store.listNotes('default', '', 1_000)).toHaveLength(kept.length)
    expect(await store.search('default', [`secret${kept[1]}x`], 10)).toHaveLength(1)
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  it('rejects while an older transaction could still see erased content, and succeeds after it', async () => {
    const { pool, store, write, left } = await withNotes()
    const reader = await pool.connect()
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await reader.query('SELECT 1')
    await write(ERASED, 'erase')
    await expect(store.purge()).rejects.toMatchObject({ code: 'purge_incomplete', obstacle: 'held_back' })
    expect(await left(ERASED)).toEqual(ERASED)
    await reader.query('COMMIT')
    reader.release()
    await store.purge()
    expect(await left(ERASED)).toEqual([])
  })

  it('waits for a lock without blocking readers', async () => {
    const { pool, store, write, left } = await withNotes()
    await write(ERASED, 'erase')
    const reader = await pool.connect()
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM notewire_mirror_content')
    let isPurged = false
    const purged = store.purge().then(() => {
      isPurged = true
    })
    for (let times = 0; times < 5; times += 1) {
      expect(await store.listNotes('default', '', 1_000)).toHaveLength(NOTES - ERASED.length)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(isPurged).toBe(false)
    await reader.query('COMMIT')
    reader.release()
    await purged
    expect(await left(ERASED)).toEqual([])
  })

  it('rejects if the table stays locked for 10 s', async () => {
    const { pool, store } = await withNotes()
    const reader = await pool.connect()
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM notewire_mirror_content')
    await expect(store.purge()).rejects.toMatchObject({ code: 'purge_incomplete', obstacle: 'locked' })
    await reader.query('COMMIT')
    reader.release()
  })

  it('rejects within a transaction', async () => {
    const { pool } = await withNotes()
    const client = await pool.connect()
    await client.query('BEGIN')
    await expect(postgresMirror(client).purge()).rejects.toMatchObject({
      code: 'purge_incomplete',
      obstacle: 'in_transaction',
    })
    await client.query('ROLLBACK')
    client.release()
  })

  it('rejects if the role may not vacuum the table', async () => {
    const { url, pool } = await withNotes()
    await pool.query("CREATE ROLE reader LOGIN PASSWORD 'reader'")
    await pool.query('GRANT SELECT, DELETE ON notewire_mirror_content TO reader')
    const store = postgresMirror(databases.poolOf(url.replace('postgres:postgres@', 'reader:reader@')))
    await expect(store.purge()).rejects.toMatchObject({ code: 'purge_incomplete', obstacle: 'not_permitted' })
  })

  it('rejects if the tables do not exist', async () => {
    const store = postgresMirror(databases.poolOf(await databases.emptyDatabase()))
    await expect(store.purge()).rejects.toMatchObject({ code: 'postgres_not_migrated' })
  })
})

async function withNotes() {
  const url = await databases.emptyDatabase()
  const pool = databases.poolOf(url)
  const store = postgresMirror(pool)
  await store.migrate()
  const write = (indexes: readonly number[], what: 'content' | 'erase') => writeNotes(store, indexes, what)
  await write(NUMBERS, 'content')
  return { url, pool, store, write, left: (indexes: readonly number[]) => foundIn(pool, indexes) }
}

async function writeNotes(store: MirrorStore, indexes: readonly number[], what: 'content' | 'erase'): Promise<void> {
  const noteIds = indexes.map((index) => `note ${index}`)
  const known = (await store.load('default', noteIds)).notes
  const notes = indexes.map((index): NoteWrite => {
    const noteId = `note ${index}`
    const content = {
      note: aNote(noteId, { title: `secret${index}x`, content: `and so on secret${index}x `.repeat(30) }),
      transcript: aTranscript(noteId, `secret${index}x`),
    }
    return {
      state: what === 'erase' ? aState(noteId, { presence: 'gone' }) : aLiveState(noteId),
      expectedVersion: known.get(noteId)?.version ?? 0,
      content: what === 'erase' ? 'erase' : content,
      announce: what === 'erase' ? 'vanished' : 'appeared',
    }
  })
  expect(await store.commit('default', { notes })).toBe('committed')
}

/** Returns the notes with a word in any file of the database, after a checkpoint. */
async function foundIn(pool: Pool, indexes: readonly number[]): Promise<readonly number[]> {
  await pool.query('CHECKPOINT')
  const { rows } = await pool.query<{ folder: string }>(
    `SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()`,
  )
  const folder = rows[0]?.folder ?? ''
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')))
  return indexes.filter((index) => files.some((bytes) => bytes.includes(`secret${index}x`)))
}
