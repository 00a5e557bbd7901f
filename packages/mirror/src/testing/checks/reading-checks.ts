import assert from 'node:assert/strict'
import { aLiveState, aNote, aState, aSummary, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const readingChecks: readonly MirrorStoreCheck[] = [
  check('reads a note whatever its presence', async ({ store, scope, write }) => {
    for (const presence of ['live', 'hidden', 'gone'] as const) {
      const [state, note] = [aState(presence, { presence }), aNote(presence)]
      await write({ state, content: { note } })
      const stored = await store.getNote(scope, presence)
      assert.deepEqual([stored?.state, stored?.note], [state, note])
    }
  }),

  check('lists live notes alone, by id, with their content', async ({ store, scope, write }) => {
    const content = { note: aNote('b'), transcript: aTranscript('b'), summary: aSummary('b') }
    await write(
      { state: aLiveState('d') },
      { state: aLiveState('b'), content },
      { state: aState('a', { presence: 'gone' }) },
      { state: aState('c', { presence: 'hidden' }), content: { note: aNote('c') } },
    )
    const [first, ...others] = await store.listNotes(scope, '', 10)
    assert.deepEqual([first?.state, first?.note], [aLiveState('b'), content.note])
    assert.deepEqual([first?.transcript, first?.summary], [content.transcript, content.summary])
    assert.deepEqual(
      others.map(({ state, note }) => [state.noteId, note]),
      [['d', null]],
    )
  }),

  check(
    'goes through live notes page by page, each once, also where their ids are made of rare characters',
    async (stage) => {
      const { store, scope, write } = stage
      await write(...RARE_IDS.map((noteId) => ({ state: aLiveState(noteId), content: { note: aNote(noteId) } })))
      const seen: string[] = []
      for (let after = ''; ; ) {
        const page = await store.listNotes(scope, after, 3)
        const last = page.at(-1)
        if (last === undefined) break
        seen.push(...page.map(({ state }) => state.noteId))
        after = last.state.noteId
      }
      assert.deepEqual([...seen].sort(), [...RARE_IDS].sort())
      const { notes } = await store.load(scope, RARE_IDS)
      assert.equal(notes.size, RARE_IDS.length)
      for (const noteId of RARE_IDS) assert.equal((await store.getNote(scope, noteId))?.note?.note_id, noteId)
    },
  ),

  check(
    'lists ids in the order of their characters, whatever a language makes of them',
    async ({ store, scope, write }) => {
      const noteIds = ['-', '10', '9', 'B', 'Z', '_', 'a', 'b', 'ab', 'a_b', 'a-b'].sort()
      await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId) })))
      const listed = await store.listNotes(scope, '', 100)
      assert.deepEqual(
        listed.map(({ state }) => state.noteId),
        noteIds,
      )
    },
  ),

  check('counts notes of each kind', async ({ store, scope, write }) => {
    await write(
      { state: aLiveState('settled') },
      { state: aLiveState('unsettled', { settledRevision: null, dueAt: 1 }) },
      { state: aLiveState('dirty and unsettled', { settledRevision: null, dirty: 1, dueAt: 1 }) },
      { state: aState('hidden', { presence: 'hidden' }) },
      { state: aState('hidden and dirty', { presence: 'hidden', dirty: 1, dueAt: 1 }) },
      { state: aState('gone', { presence: 'gone' }) },
    )
    assert.deepEqual(await store.count(scope), { live: 3, hidden: 2, gone: 1, dirty: 2, unsettled: 1 })
    await write({ state: aState('settled', { presence: 'gone' }) }, { state: aLiveState('unsettled') })
    assert.deepEqual(await store.count(scope), { live: 2, hidden: 2, gone: 2, dirty: 2, unsettled: 0 })
  }),
]

const RARE_IDS = [
  `it's`,
  '"',
  '%',
  '_',
  '\\',
  'a b',
  ' ',
  '$1',
  '{"json":[]}',
  'null',
  '0',
  '00',
  'NOTE',
  'note',
  'é',
  'e\u0301',
  '\u{1F4DD}',
  '\uFFFD',
  '\uE000',
  '\u2028',
  'NUL \u0000',
  '\uD83D',
  '\uDE00',
  '\u001A',
  '\u001A0000',
  'x'.repeat(500),
]
