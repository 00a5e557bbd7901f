import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { durableObjectSqlite } from '@notewire/storage'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { integrationsOf } from '../../../fixtures/integrations-of.ts'
import { aLiveState, aNote, aState, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { objectStorage } from '../../../fixtures/stores/sqlite/object-storage.ts'
import { openMirror } from '../../../fixtures/stores/sqlite/open-mirror.ts'
import type { ContentWrite, NoteWrite } from '../../notes/note-write.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

const DRIVERS = ['node:sqlite', 'better-sqlite3']

it.each(DRIVERS)(
  'with %s, the file keeps almost nothing of hundreds of erased notes, and a purge removes the rest',
  async (driver) => {
    const path = temporaryPath(onTestFinished)
    const store = await openStore(path, driver)
    const below = numbersBelow()
    const all = Array.from({ length: 600 }, (_, index) => index)
    const titleOf = (index: number) => `secret${String(index).padStart(4, '0')}x`
    const contentOf = (index: number) => {
      return { note: aNote(`note ${index}`, { title: titleOf(index), content: 'and so on '.repeat(below(60)) }) }
    }
    // SQLite moves rows between pages when notes grow and shrink.
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
    const kept = await reads(store).listNotes('default', '', 1_000)
    expect(kept.map(({ note }) => note?.title).sort()).toEqual(
      all.filter((index) => !erased.includes(index)).map(titleOf),
    )
  },
)

it('the search index keeps almost none of thousands of erased words, and none after a purge', async () => {
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
  expect(await reads(store).search('default', ['stand-up'], 1_000)).toHaveLength(1)
})

it('erased words are removed from the search index when the store tidies up', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openStore(path, 'node:sqlite')
  const markOf = (index: number) => `q${String(index).padStart(5, '0')}z`
  const words = (index: number) => Array.from({ length: 100 }, (_, nth) => markOf(index) + wordOf(nth))
  const numbers = Array.from({ length: 600 }, (_, index) => index)
  const write600 = async (some: readonly number[], erase: boolean) => {
    for (const page of pagesOf(some, 50)) {
      const content = (index: number) => ({ transcript: aTranscript(`note ${index}`, words(index).join(' ')) })
      await write(store, new Map(page.map((index) => [`note ${index}`, erase ? 'erase' : content(index)])))
    }
  }
  const left = (some: readonly number[]) => {
    const found = new Set(Array.from(bytesOf(path).matchAll(/q[0-9]{5}z/g), ([mark]) => mark))
    return some.map(markOf).filter((mark) => found.has(mark))
  }
  await write600(numbers, false)
  await write(store, new Map([['titled', { note: aNote('titled') }]]))
  // The second time, the index has one segment, which a merge would not rewrite by itself.
  for (const erased of [numbers.filter((index) => index % 4 > 0), numbers.filter((index) => index % 8 === 0)]) {
    await write600(erased, true)
    expect(left(erased).length).toBeGreaterThan(0)
    while (await store.tidy?.());
    expect(left(erased)).toEqual([])
  }
  const kept = numbers.filter((index) => index % 8 === 4)
  for (const index of kept) expect(await reads(store).search('default', words(index).slice(0, 2), 10)).toHaveLength(1)
})

it('erased words are removed from the search index even if no note is left', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openStore(path, 'node:sqlite')
  const words = Array.from({ length: 20_000 }, (_, index) => `zanzibar${wordOf(index)}`)
  await write(store, new Map([['secret', { transcript: aTranscript('secret', words.join(' ')) }]]))
  await write(store, new Map([['secret', 'erase']]))
  while (await store.tidy?.());
  expect(bytesOf(path)).not.toContain('zanzibar')
})

it('words of an integration that was removed are removed from the search index by the work on another', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openStore(path, 'node:sqlite')
  const integrations = integrationsOf(store)
  const added = await integrations.put('removed', 'first', 0)
  const words = Array.from({ length: 20_000 }, (_, index) => `zanzibar${wordOf(index)}`)
  const content = { transcript: aTranscript('secret', words.join(' ')) }
  await store.commit('removed', { notes: [{ state: aLiveState('secret'), expectedVersion: 0, content }] })
  await write(store, new Map([['kept', { note: aNote('kept') }]]))
  await integrations.remove('removed', 'second', added.version)
  const taken = await store.integrations.take({ now: 1, until: 2, worker: 'a test', maxRank: 3 })
  expect(taken && (await integrations.erase(taken.record))).toBe('done')
  while (await store.tidy?.());
  expect(bytesOf(path)).not.toContain('zanzibar')
})

it('a purge rejects while a reader of the file can still see erased content, and succeeds after it', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openStore(path, 'node:sqlite')
  await write(store, new Map([['secret', { note: aNote('secret', { title: 'zanzibar' }) }]]))
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM notewire_live_notes').get()
  await write(store, new Map([['secret', 'erase']]))
  await expect(store.purge()).rejects.toMatchObject({ code: 'purge_incomplete' })
  expect(bytesOf(path)).toContain('zanzibar')
  reader.exec('COMMIT')
  reader.close()
  await store.purge()
  expect(bytesOf(path)).not.toContain('zanzibar')
})

it('if the host controls the file, a purge rebuilds the search index', async () => {
  const store = sqliteMirror(durableObjectSqlite(objectStorage()))
  await store.migrate()
  await write(store, new Map([['kept', { note: aNote('kept', { title: 'Stand-up' }) }]]))
  await store.purge()
  expect(await reads(store).search('default', ['stand-up'], 1_000)).toHaveLength(1)
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

/** A seeded random number generator. */
function numbersBelow(): (limit: number) => number {
  let last = 1
  return (limit) => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) >>> 0
    return (last >>> 8) % limit
  }
}

/** Pseudo-random words, so that they are anywhere in the index. */
function wordOf(number: number): string {
  return (Math.imul(number + 1, 2_654_435_761) >>> 0).toString(36).padStart(7, 'x')
}

function bytesOf(path: string): string {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file))
  return files.map((file) => readFileSync(file, 'latin1').toLowerCase()).join('')
}
