import assert from 'node:assert/strict'
import { aLiveState, aNote, aState, aTranscript } from './builders.ts'
import { check, idsOf, type MirrorStoreCheck } from './check.ts'

export const dueChecks: readonly MirrorStoreCheck[] = [
  check('takes due notes only', async ({ write, take }) => {
    await write(aState('due', { dueAt: 1_000 }), aState('later', { dueAt: 1_001 }), aState('never', { dirty: 1 }))
    assert.deepEqual(idsOf((await take({ now: 999 })).notes), [])
    assert.deepEqual(idsOf((await take({ now: 1_000 })).notes), ['due'])
  }),

  check('takes dirty notes first, then the most overdue', async ({ write, take }) => {
    await write(
      aLiveState('clean, 10', { dueAt: 10 }),
      aLiveState('dirty, 30', { dirty: 1, dueAt: 30 }),
      aLiveState('clean, 5', { dueAt: 5 }),
      aState('dirty, 20', { dirty: 9, dueAt: 20 }),
    )
    assert.deepEqual(idsOf((await take({ now: 1_000, limit: 3 })).notes), ['dirty, 20', 'dirty, 30', 'clean, 5'])
    assert.deepEqual(idsOf((await take({ now: 1_000, limit: 3 })).notes), ['clean, 10'])
  }),

  check('takes notes of any presence', async ({ write, take }) => {
    const presences = ['live', 'hidden', 'gone'] as const
    await write(...presences.map((presence) => aState(presence, { presence, dirty: 1, dueAt: 1 })))
    assert.deepEqual(idsOf((await take({ now: 1 })).notes).sort(), ['gone', 'hidden', 'live'])
  }),

  check('postpones the notes that it takes', async ({ write, take }) => {
    await write(aState('note_1', { dirty: 1, dueAt: 1_000 }))
    assert.deepEqual(idsOf((await take({ now: 1_000, until: 61_000 })).notes), ['note_1'])
    assert.deepEqual(idsOf((await take({ now: 60_999, until: 99_000 })).notes), [])
    assert.deepEqual(idsOf((await take({ now: 61_000, until: 99_000 })).notes), ['note_1'])
  }),

  check('raises the version of the notes that it takes', async ({ store, integration, write, take }) => {
    const state = aState('note_1', { dirty: 1, dueAt: 1_000 })
    await write(state)
    const { notes } = await take({ now: 1_000, until: 61_000 })
    assert.deepEqual(
      notes.map(({ state, version }) => ({ state, version })),
      [{ state: { ...state, dueAt: 61_000 }, version: 2 }],
    )
    assert.equal(await store.commit(integration, { notes: [{ state, expectedVersion: 1 }] }), 'conflict')
    const { notes: loaded } = await store.load(integration, ['note_1'])
    assert.deepEqual(loaded.get('note_1'), { state: { ...state, dueAt: 61_000 }, version: 2 })
    assert.equal(await store.commit(integration, { notes: [{ state, expectedVersion: 2 }] }), 'committed')
  }),

  check('returns the stored record of each note', async ({ write, take }) => {
    const note = aNote('whole', { title: null, updated_at: '2026-01-01T09:00:00Z' })
    await write(
      { state: aLiveState('whole', { dueAt: 1 }), content: { note, transcript: aTranscript('whole') } },
      { state: aLiveState('bare', { dueAt: 2 }), content: { transcript: aTranscript('bare') } },
      aLiveState('empty', { dueAt: 3 }),
    )
    const { notes } = await take({ now: 3 })
    assert.deepEqual(
      notes.map((taken) => [taken.state.noteId, taken.note]),
      [
        ['whole', note],
        ['bare', null],
        ['empty', null],
      ],
    )
  }),

  check('gives different notes to concurrent callers', async ({ write, take }) => {
    const noteIds = Array.from({ length: 60 }, (_, index) => `note_${index}`)
    await write(...noteIds.map((noteId, index) => aState(noteId, { dirty: index, dueAt: index })))
    const taken = await Promise.all(Array.from({ length: 10 }, () => take({ now: 100, limit: 7 })))
    const all = taken.flatMap(({ notes }) => idsOf(notes))
    assert.equal(new Set(all).size, all.length, 'two callers must not take the same note')
    for (;;) {
      const more = idsOf((await take({ now: 100, limit: 7 })).notes)
      if (more.length === 0) break
      all.push(...more)
    }
    assert.deepEqual(all.sort(), noteIds.sort())
  }),

  check('takes nothing with limit 0, and returns when a note is due', async ({ store, integration, write, take }) => {
    await write(aState('note_1', { dirty: 1, dueAt: 500 }), aState('note_2'))
    for (let time = 1; time <= 2; time += 1) {
      const { notes, nextDueAt } = await take({ now: 1_000, until: 2_000, limit: 0 })
      assert.deepEqual({ notes, nextDueAt }, { notes: [], nextDueAt: 500 })
    }
    assert.equal((await store.load(integration, ['note_1'])).notes.get('note_1')?.version, 1)
  }),

  check('returns when the earliest of the other notes is due', async ({ write, take }) => {
    assert.equal((await take({ now: 1_000 })).nextDueAt, null)
    await write(
      aState('clean', { dueAt: 300 }),
      aState('dirty', { dirty: 1, dueAt: 400 }),
      aState('later', { dirty: 1, dueAt: 5_000 }),
    )
    assert.equal((await take({ now: 100, until: 200 })).nextDueAt, 300)
    const first = await take({ now: 1_000, until: 2_000, limit: 1 })
    assert.deepEqual([idsOf(first.notes), first.nextDueAt], [['dirty'], 300])
    const second = await take({ now: 1_000, until: 3_000, limit: 1 })
    assert.deepEqual([idsOf(second.notes), second.nextDueAt], [['clean'], 2_000])
    assert.equal((await take({ now: 1_000 })).nextDueAt, 2_000)
    assert.equal((await take({ now: 5_000, until: 9_000 })).nextDueAt, null)
  }),
]
