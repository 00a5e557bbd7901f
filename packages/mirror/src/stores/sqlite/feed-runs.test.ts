import { DatabaseSync } from 'node:sqlite'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { NO_PROGRESS } from '../../integrations/progress.ts'
import { openMirror } from '../../reader/mirror-reader.ts'
import { MAX_RUNS, type MirrorStore } from '../mirror-store.ts'
import { betterSqlite } from './index.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

it('positions of version 0.1.0 stay valid, unless they are later than the first change of this version', async () => {
  const { path, mirror } = await aDatabaseOf010()
  const positions = await positionsOf(mirror)
  expect(positions.every((position) => /^copy-1:\d+$/.test(position))).toBe(true)
  const store = opened(path)
  await announce(store, 'c')
  expect(await notesAfter(mirror, positions[0])).toEqual(['b', 'c'])
  expect(await notesAfter(mirror, positions[1])).toEqual(['c'])
  expect(await notesAfter(mirror, (await positionsOf(mirror)).at(-1))).toEqual([])
  const number = Number((await positionsOf(mirror)).at(-1)?.split(':').at(-1))
  await expect(notesAfter(mirror, `copy-1:${number}`)).rejects.toMatchObject({ code: 'position_lost' })
})

it('a process that may only read follows the feed of a database of version 0.1.0', async () => {
  const { path, mirror } = await aDatabaseOf010()
  const positions = await positionsOf(mirror)
  dropRuns(path)
  const connection = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => connection.close())
  const reader = openMirror({ store: sqliteMirror(betterSqlite(connection)) })
  expect(await notesAfter(reader, positions[0])).toEqual(['b'])
  expect((await reader.status()).position).toBe(positions[1])
})

it('the latest 1,000 runs are kept, and positions of earlier ones are rejected', async () => {
  const path = temporaryPath(onTestFinished)
  const mirror = openMirror({ store: await aCopyIn(path) })
  const oldest = (await positionsOf(mirror)).at(-1)
  await announce(opened(path), 'c')
  const next = (await positionsOf(mirror)).at(-1)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  const runs = () => database.prepare('SELECT run, position FROM notewire_mirror_runs ORDER BY position').all()
  const insert = database.prepare("INSERT INTO notewire_mirror_runs VALUES ('default', ?, ?)")
  const { position } = database.prepare('SELECT max(position) AS position FROM notewire_mirror_notes').get() ?? {}
  for (let index = runs().length; index < MAX_RUNS; index += 1) insert.run(`r${index}`, Number(position) + index)
  // The runs that were inserted began at positions that the feed must have reached.
  database.exec(`UPDATE notewire_mirror_notes SET position = position + ${MAX_RUNS} WHERE note_id = 'c'`)
  expect(await notesAfter(mirror, oldest)).toEqual(['c'])
  await announce(opened(path), 'd')
  expect(runs()).toHaveLength(MAX_RUNS)
  await expect(notesAfter(mirror, oldest)).rejects.toMatchObject({ code: 'position_lost' })
  expect(await notesAfter(mirror, next)).toEqual(['c', 'd'])
})

it('a process that has written a later change begins another run after its rows were restored', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await aCopyIn(path)
  const mirror = openMirror({ store })
  const kept = (await positionsOf(mirror)).at(-1)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  const tables = ['notewire_mirrors', 'notewire_mirror_notes', 'notewire_mirror_runs']
  const ofEach = (text: (table: string) => string) => database.exec(tables.map(text).join(';'))
  const columns = (table: string) =>
    database.prepare(`SELECT group_concat(name) AS names FROM pragma_table_info('${table}')`).get()?.['names']
  ofEach((table) => `CREATE TABLE backup_of_${table} AS SELECT ${columns(table)} FROM ${table}`)
  for (const noteId of ['c', 'd', 'e']) await announce(store, noteId)
  const lost = (await positionsOf(mirror)).at(-1)
  ofEach((table) => `DELETE FROM ${table}; INSERT INTO ${table} (${columns(table)}) SELECT * FROM backup_of_${table}`)
  await expect(notesAfter(mirror, lost)).rejects.toMatchObject({ code: 'position_lost' })
  for (const noteId of ['f', 'g', 'h', 'i']) await announce(store, noteId)
  await expect(notesAfter(mirror, lost)).rejects.toMatchObject({ code: 'position_lost' })
  expect(await notesAfter(mirror, kept)).toEqual(['f', 'g', 'h', 'i'])
})

it('no run is left of a copy that a process of version 0.1.0 has erased', async () => {
  const path = temporaryPath(onTestFinished)
  await aCopyIn(path)
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  // Version 0.1.0 knows no runs.
  database.exec('DELETE FROM notewire_mirror_notes')
  const runs = () => database.prepare('SELECT run FROM notewire_mirror_runs').all()
  const former = runs()
  expect(former).toHaveLength(1)
  await announce(opened(path), 'c')
  expect(runs()).toHaveLength(1)
  expect(runs()).not.toEqual(former)
})

/** A database with the notes a and b and without the table of runs, and a mirror that has opened it with this version. */
async function aDatabaseOf010() {
  const path = temporaryPath(onTestFinished)
  await aCopyIn(path)
  dropRuns(path)
  return { path, mirror: openMirror({ store: opened(path) }) }
}

function dropRuns(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('DROP TABLE notewire_mirror_runs')
  database.close()
}

async function aCopyIn(path: string): Promise<MirrorStore> {
  const store = opened(path)
  await store.migrate()
  await store.commit('default', { notes: [], progress: { ...NO_PROGRESS, copyId: 'copy-1' } })
  for (const noteId of ['a', 'b']) await announce(store, noteId)
  return store
}

function opened(path: string): MirrorStore {
  const store = sqliteMirror(path)
  onTestFinished(() => store.close())
  return store
}

async function announce(store: MirrorStore, noteId: string): Promise<void> {
  await store.migrate()
  const notes = [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }] as const
  await store.load('default', [noteId])
  expect(await store.commit('default', { notes })).toBe('committed')
}

type Changes = ReturnType<typeof openMirror>

async function positionsOf(mirror: Changes): Promise<readonly string[]> {
  const positions: string[] = []
  for await (const { position } of mirror.changes()) positions.push(position)
  return positions
}

async function notesAfter(mirror: Changes, after: string | undefined): Promise<readonly string[]> {
  const noteIds: string[] = []
  for await (const { noteId } of mirror.changes({ after })) noteIds.push(noteId)
  return noteIds
}
