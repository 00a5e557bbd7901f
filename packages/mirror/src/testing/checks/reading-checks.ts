import assert from 'node:assert/strict'
import { aLiveState, aNote, aState, aSummary, aTranscript } from './builders.ts'
import { check, idsOf, type MirrorStoreCheck } from './check.ts'

export const readingChecks: readonly MirrorStoreCheck[] = [
  check('reads notes of any presence', async ({ store, integration, write }) => {
    for (const presence of ['live', 'hidden', 'gone'] as const) {
      const [state, note] = [aState(presence, { presence }), aNote(presence)]
      await write({ state, content: { note } })
      const stored = await store.getNote(integration, presence)
      assert.deepEqual([stored?.state, stored?.note], [state, note])
    }
  }),

  check('lists live notes by id, with their content', async ({ store, integration, write }) => {
    const content = { note: aNote('b'), transcript: aTranscript('b'), summary: aSummary('b') }
    await write(aLiveState('d'), { state: aLiveState('b'), content }, aState('a', { presence: 'gone' }), {
      state: aState('c', { presence: 'hidden' }),
      content: { note: aNote('c') },
    })
    const [first, ...others] = await store.listNotes(integration, '', 10)
    assert.deepEqual([first?.state, first?.note], [aLiveState('b'), content.note])
    assert.deepEqual([first?.transcript, first?.summary], [content.transcript, content.summary])
    assert.deepEqual(
      others.map(({ state, note }) => [state.noteId, note]),
      [['d', null]],
    )
  }),

  check(
    'lists live notes by page, including those with rare characters in their ids',
    async ({ store, integration, write }) => {
      await write(...RARE_IDS.map((noteId) => ({ state: aLiveState(noteId), content: { note: aNote(noteId) } })))
      const seen: string[] = []
      for (let after = ''; ; ) {
        const page = await store.listNotes(integration, after, 3)
        const last = page.at(-1)
        if (last === undefined) break
        seen.push(...idsOf(page))
        after = last.state.noteId
      }
      assert.deepEqual([...seen].sort(), [...RARE_IDS].sort())
      const { notes } = await store.load(integration, RARE_IDS)
      assert.equal(notes.size, RARE_IDS.length)
      for (const noteId of RARE_IDS) assert.equal((await store.getNote(integration, noteId))?.note?.note_id, noteId)
    },
  ),

  check('lists ids in code point order, in any locale', async ({ store, integration, write }) => {
    const noteIds = ['-', '10', '9', 'B', 'Z', '_', 'a', 'b', 'ab', 'a_b', 'a-b'].sort()
    await write(...noteIds.map((noteId) => aLiveState(noteId)))
    const listed = await store.listNotes(integration, '', 100)
    assert.deepEqual(idsOf(listed), noteIds)
  }),

  check('counts notes of each kind', async ({ store, integration, write }) => {
    await write(
      aLiveState('settled'),
      aLiveState('unsettled', { settledRevision: null, dueAt: 1 }),
      aLiveState('dirty and unsettled', { settledRevision: null, dirty: 1, dueAt: 1 }),
      aState('hidden', { presence: 'hidden' }),
      aState('hidden and dirty', { presence: 'hidden', dirty: 1, dueAt: 1 }),
      aState('gone', { presence: 'gone', dirty: 1, dueAt: 1, contradictedSince: 1 }),
    )
    const before = { live: 3, hidden: 2, gone: 1, dirty: 3, unsettled: 1, contradicted: 1 }
    assert.deepEqual(await store.count(integration), before)
    await write(
      aState('settled', { presence: 'gone' }),
      aLiveState('unsettled'),
      aState('gone', { presence: 'gone', dirty: 1, dueAt: 1 }),
    )
    const after = { live: 2, hidden: 2, gone: 2, dirty: 3, unsettled: 0, contradicted: 0 }
    assert.deepEqual(await store.count(integration), after)
  }),
]

const RARE_IDS = [
  ...`it's " % _ \\ $1 {"json":[]} null 0 00 NOTE note é e\u0301 \u{1F4DD} \uFFFD \uE000`.split(' '),
  ...['a b', ' ', '\u2028', 'NUL \u0000', '\uD83D', '\uDE00', '\u001A', '\u001A0000', 'x'.repeat(500)],
]
