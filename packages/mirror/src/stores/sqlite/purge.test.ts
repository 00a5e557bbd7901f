import { existsSync, readFileSync } from 'node:fs'
import { durableObjectSqlite } from '@notewire/webhooks/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState, aNote, aState, aTranscript } from '../../testing/checks/builders.ts'
import type { ContentWrite, NoteWrite } from '../store.ts'
import { objectStorage } from './fixtures/object-storage.ts'
import { openMirror } from './fixtures/open-mirror.ts'
import { temporaryPath } from './fixtures/temporary-path.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

const DRIVERS = ['node:sqlite', 'better-sqlite3']

it.each(DRIVERS)(
  'by %s, of hundreds of erased notes the file keeps next to nothing, and a purge the rest',
  async (driver) => {
    const path = temporaryPath(onTestFinished)
    const store = await openStore(path, driver)
    const below = numbersBelow()
    const all = Array.from({ length: 600 }, (_, index) => index)
    const titleOf = (index: number) => `secret${String(index).padStart(4, '0')}x`
    const contentOf = (index: number) => {
      return { note: aNote(`note ${index}`, { title: titleOf(index), content: 'and so on '.repeat(below(60)) }) }
    }
    // Notes that grow and shrink have SQLite move rows from page to page.
    for (const some of [all, ...pagesOf(all, 60).map((page) => page.map(() => below(all.length)))]) {
      await write(store, new Map(some.map((index) => [`note ${index}`, contentOf(index)])))
    }
    const erased = all.filter(() => below(4) > 0)
    for (const page of pagesOf(erased, 20)) {
      await write(store, new Map(page.map((index) => [`note ${index}`, 'erase'])))
    }
    const left = () => {
      const bytes = bytesOf(path)
      return erased.map(titleOf).filter((title) => bytes.includes(title))
    }
    expect(left().length).toBeLessThan(erased.length / 50)
    await store.purge()
    expect(left()).toEqual([])
    const kept = await store.listNotes('default', '', 1_000)
    expect(kept.map(({ note }) => note?.title).sort()).toEqual(
      all.filter((index) => !erased.includes(index)).map(titleOf),
    )
  },
)

it('of thousands of erased words the search index keeps next to none, and none after a purge', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openStore(path, 'node:sqlite')
  await write(store, new Map([['kept', { note: aNote('kept', { title: 'Stand-up' }) }]]))
  const words = (index: number) => Array.from({ length: 100 }, (_, nth) => `q${wordOf(index * 100 + nth)}`)
  const noteIds = Array.from({ length: 100 }, (_, index) => `secret ${index}`)
  for (const [index, noteId] of noteIds.entries()) {
    await write(store, new Map([[noteId, { transcript: aTranscript(noteId, words(index).join(' ')) }]]))
  }
  const all = noteIds.flatMap((_, index) => words(index))
  const left = () => {
    const found = new Set(Array.from(bytesOf(path).matchAll(/(?=(q[0-9a-z]{7}))/g), ([, word]) => word))
    return all.filter((word) => found.has(word))
  }
  expect(left()).toHaveLength(all.length)
  for (const noteId of noteIds) await write(store, new Map([[noteId, 'erase']]))
  expect(left().length).toBeLessThan(all.length / 1_000)
  await store.purge()
  expect(left()).toEqual([])
  expect(await store.search('default', ['stand-up'], 1_000)).toHaveLength(1)
})

it('where the host keeps the file to itself, a purge makes the search index anew', async () => {
  const store = sqliteMirror(durableObjectSqlite(objectStorage()))
  await store.migrate()
  await write(store, new Map([['kept', { note: aNote('kept', { title: 'Stand-up' }) }]]))
  await store.purge()
  expect(await store.search('default', ['stand-up'], 1_000)).toHaveLength(1)
})

async function openStore(path: string, driver: string): Promise<SqliteMirror> {
  const store = openMirror(path, driver)
  onTestFinished(() => store.close?.())
  await store.migrate()
  return store
}

async function write(store: SqliteMirror, contents: ReadonlyMap<string, ContentWrite>): Promise<void> {
  const known = (await store.load('default', [...contents.keys()])).notes
  const notes = Array.from(contents, ([noteId, content]): NoteWrite => {
    const state = content === 'erase' ? aState(noteId, { presence: 'gone' }) : aLiveState(noteId)
    return { state, expectedVersion: known.get(noteId)?.version ?? 0, content }
  })
  expect(await store.commit('default', { notes })).toBe('committed')
}

function pagesOf<Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, page) =>
    items.slice(page * length, (page + 1) * length),
  )
}

/** The same numbers every time. */
function numbersBelow(): (limit: number) => number {
  let last = 1
  return (limit) => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) >>> 0
    return (last >>> 8) % limit
  }
}

/** Words without order, so that they stand anywhere in the index. */
function wordOf(number: number): string {
  return (Math.imul(number + 1, 2_654_435_761) >>> 0).toString(36).padStart(7, 'x')
}

function bytesOf(path: string): string {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file))
  return files.map((file) => readFileSync(file, 'latin1').toLowerCase()).join('')
}
