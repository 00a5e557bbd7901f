import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { temporaryPath } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { aLiveState, aNote, aState, aSummary, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { openMirror } from '../../../fixtures/stores/sqlite/open-mirror.ts'
import { startProcess } from '../../../fixtures/stores/sqlite/start-process.ts'
import type { ContentParts, ContentWrite, NoteWrite } from '../../notes/note-write.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { type SqliteMirror, sqliteMirror } from './sqlite-mirror.ts'

/** Words that each occur in one part of one note. */
const SECRETS = ['zanzibar', 'quetzalcoatl', 'unfamiliar', 'rhododendron', 'wolpertinger', 'yggdrasil', 'jabberwocky']

const SECRET_CONTENT: ContentParts = {
  note: { ...aNote('secret', { title: 'To Zanzibar', content: 'with Quetzalcoatl' }), tags: ['unfamiliar'] } as never,
  transcript: {
    ...aTranscript('secret', `${'and so on, and so forth '.repeat(20_000)} rhododendron`),
    segments: [{ speaker: 'Wolpertinger', text: 'yggdrasil' }],
  },
  summary: aSummary('secret', '# Jabberwocky'),
}

it.each(['node:sqlite', 'better-sqlite3'])('with %s, nothing of an erased note remains in any file', async (driver) => {
  const path = temporaryPath(onTestFinished)
  const store = await openWithNotes(path, driver)
  await write(store, 'secret', SECRET_CONTENT)
  expect(secretsIn(path)).toEqual(SECRETS)
  await write(store, 'secret', 'erase')
  expect(secretsIn(path)).toEqual([])
  expect((await reads(store).listNotes('default', '', 1_000)).length).toBe(100)
})

it('nothing of the content before an edit remains', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openWithNotes(path, 'node:sqlite')
  await write(store, 'secret', SECRET_CONTENT)
  await write(store, 'secret', {
    note: aNote('secret'),
    transcript: aTranscript('secret'),
    summary: aSummary('secret'),
  })
  await write(store, 'secret', 'erase')
  expect(secretsIn(path)).toEqual([])
})

it.each(['node:sqlite', 'better-sqlite3'])(
  'with %s, a word that an edit removes is no longer found, however often it occurred',
  async (driver) => {
    const path = temporaryPath(onTestFinished)
    const store = await openWithNotes(path, driver)
    for (let times = 1; times < 400; times += 13) {
      for (const text of ['zanzibar '.repeat(times), 'zanzibar '.repeat(times + 1), 'nothing of note']) {
        await write(store, 'secret', { note: aNote('secret'), transcript: aTranscript('secret', text) })
      }
      expect(await reads(store).search('default', ['zanzibar'], 10), `after ${times}`).toEqual([])
      expect(wordsIn(path)).not.toContain('zanzibar')
    }
  },
)

it.each<[keyof ContentParts, readonly string[]]>([
  ['note', ['rhododendron', 'wolpertinger', 'yggdrasil', 'jabberwocky']],
  ['transcript', ['zanzibar', 'quetzalcoatl', 'unfamiliar', 'jabberwocky']],
  ['summary', SECRETS.filter((word) => word !== 'jabberwocky')],
])('the %s can be erased alone, and the other parts remain', async (part, kept) => {
  const path = temporaryPath(onTestFinished)
  const store = await openWithNotes(path, 'node:sqlite')
  await write(store, 'secret', SECRET_CONTENT)
  await write(store, 'secret', { [part]: null })
  expect(secretsIn(path)).toEqual(kept)
  const found = await reads(store).search('default', [kept[0] ?? ''], 10)
  expect(found).toHaveLength(1)
})

it('content that a process had erased when it was killed is removed when the next process starts', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openWithNotes(path, 'node:sqlite')
  await write(store, 'secret', SECRET_CONTENT)
  await store.close?.()
  const child = startProcess('erase-and-hang.ts', path, 'secret')
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(secretsIn(path)).not.toEqual([])
  const next = sqliteMirror(path)
  onTestFinished(() => next.close?.())
  await next.migrate()
  expect((await reads(next).getNote('default', 'secret'))?.note).toBeNull()
  expect(secretsIn(path)).toEqual([])
})

it('erased content that a reader of the file still sees is removed with the first write after the reader has ended', async () => {
  const path = temporaryPath(onTestFinished)
  const store = await openWithNotes(path, 'node:sqlite')
  await write(store, 'secret', SECRET_CONTENT)
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  expect(reader.prepare("SELECT title FROM notewire_live_notes WHERE note_id = 'secret'").get()).toEqual({
    title: 'To Zanzibar',
  })
  await write(store, 'secret', 'erase')
  expect(await reads(store).search('default', ['zanzibar'], 10)).toEqual([])
  expect(secretsIn(path)).not.toEqual([])
  reader.exec('COMMIT')
  reader.close()
  await store.readDue('default', { dueBy: 0, limit: 1 })
  expect(secretsIn(path)).toEqual([])
})

async function openWithNotes(path: string, driver: string): Promise<SqliteMirror> {
  const store = openMirror(path, driver)
  onTestFinished(() => store.close?.())
  await store.migrate()
  const noteIds = Array.from({ length: 100 }, (_, index) => `note ${index}`)
  const notes = noteIds.map((noteId, index): NoteWrite => {
    const transcript = aTranscript(noteId, 'what was said then '.repeat(index ** 2))
    const content = { note: aNote(noteId), transcript, summary: aSummary(noteId) }
    return { state: aLiveState(noteId), expectedVersion: 0, content, announce: 'appeared' }
  })
  expect(await store.commit('default', { notes })).toBe('committed')
  return store
}

async function write(store: MirrorStore, noteId: string, content: ContentWrite): Promise<void> {
  const { notes } = await store.load('default', [noteId])
  const state = content === 'erase' ? aState(noteId, { presence: 'gone' }) : aLiveState(noteId)
  const expectedVersion = notes.get(noteId)?.version ?? 0
  expect(await store.commit('default', { notes: [{ state, expectedVersion, content }] })).toBe('committed')
}

function secretsIn(path: string): readonly string[] {
  const bytes = bytesOf(path)
  return SECRETS.filter((secret) => bytes.includes(secret))
}

/** Reads the words of the search index, even those of deleted notes. */
function wordsIn(path: string): readonly unknown[] {
  const database = new DatabaseSync(path)
  database.exec('CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, notewire_mirror_search, row)')
  const words = database.prepare('SELECT term FROM words').all()
  database.close()
  return words.map(({ term }) => term)
}

function bytesOf(path: string): string {
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file))
  return files.map((file) => readFileSync(file, 'latin1').toLowerCase()).join('')
}
