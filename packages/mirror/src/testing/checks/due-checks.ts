import assert from 'node:assert/strict'
import type { DueNotes } from '../../stores/store.ts'
import { aLiveState, aNote, aState, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck, type Stage } from './check.ts'

export const dueChecks: readonly MirrorStoreCheck[] = [
  check('takes what is due by now, and nothing else', async (stage) => {
    await stage.write(
      { state: aState('due', { dueAt: 1_000 }) },
      { state: aState('later', { dueAt: 1_001 }) },
      { state: aState('never', { dirty: 1 }) },
    )
    assert.deepEqual(idsOf(await take(stage, { now: 999 })), [])
    assert.deepEqual(idsOf(await take(stage, { now: 1_000 })), ['due'])
  }),

  check('takes dirty notes first, then those that have been due the longest', async (stage) => {
    await stage.write(
      { state: aLiveState('clean, 10', { dueAt: 10 }) },
      { state: aLiveState('dirty, 30', { dirty: 1, dueAt: 30 }) },
      { state: aLiveState('clean, 5', { dueAt: 5 }) },
      { state: aState('dirty, 20', { dirty: 9, dueAt: 20 }) },
    )
    assert.deepEqual(idsOf(await take(stage, { now: 1_000, limit: 3 })), ['dirty, 20', 'dirty, 30', 'clean, 5'])
    assert.deepEqual(idsOf(await take(stage, { now: 1_000, limit: 3 })), ['clean, 10'])
  }),

  check('takes a note whatever its presence', async (stage) => {
    const presences = ['live', 'hidden', 'gone'] as const
    await stage.write(...presences.map((presence) => ({ state: aState(presence, { presence, dirty: 1, dueAt: 1 }) })))
    assert.deepEqual(idsOf(await take(stage, { now: 1 })).sort(), ['gone', 'hidden', 'live'])
  }),

  check('postpones what it takes, so that it is due again then', async (stage) => {
    await stage.write({ state: aState('note_1', { dirty: 1, dueAt: 1_000 }) })
    assert.deepEqual(idsOf(await take(stage, { now: 1_000, until: 61_000 })), ['note_1'])
    assert.deepEqual(idsOf(await take(stage, { now: 60_999, until: 99_000 })), [])
    assert.deepEqual(idsOf(await take(stage, { now: 61_000, until: 99_000 })), ['note_1'])
  }),

  check('raises the version of what it takes, so that who had loaded it cannot write it', async (stage) => {
    const { store, scope } = stage
    const state = aState('note_1', { dirty: 1, dueAt: 1_000 })
    await stage.write({ state })
    const { notes } = await take(stage, { now: 1_000, until: 61_000 })
    assert.deepEqual(
      notes.map(({ state, version }) => ({ state, version })),
      [{ state: { ...state, dueAt: 61_000 }, version: 2 }],
    )
    assert.equal(await store.commit(scope, { notes: [{ state, expectedVersion: 1 }] }), 'conflict')
    const { notes: loaded } = await store.load(scope, ['note_1'])
    assert.deepEqual(loaded.get('note_1'), { state: { ...state, dueAt: 61_000 }, version: 2 })
    assert.equal(await store.commit(scope, { notes: [{ state, expectedVersion: 2 }] }), 'committed')
  }),

  check('gives the record that is kept with each note', async (stage) => {
    const note = aNote('whole', { title: null, updated_at: '2026-01-01T09:00:00Z' })
    await stage.write(
      { state: aLiveState('whole', { dueAt: 1 }), content: { note, transcript: aTranscript('whole') } },
      { state: aLiveState('bare', { dueAt: 2 }), content: { transcript: aTranscript('bare') } },
      { state: aLiveState('empty', { dueAt: 3 }) },
    )
    const { notes } = await take(stage, { now: 3 })
    assert.deepEqual(
      notes.map((taken) => [taken.state.noteId, taken.note]),
      [
        ['whole', note],
        ['bare', null],
        ['empty', null],
      ],
    )
  }),

  check('gives each of many who take at once other notes', async (stage) => {
    const noteIds = Array.from({ length: 60 }, (_, index) => `note_${index}`)
    await stage.write(...noteIds.map((noteId, index) => ({ state: aState(noteId, { dirty: index, dueAt: index }) })))
    const taken = await Promise.all(Array.from({ length: 10 }, () => take(stage, { now: 100, limit: 7 })))
    const all = taken.flatMap(idsOf)
    assert.equal(new Set(all).size, all.length, 'nobody may take what somebody else has')
    for (;;) {
      const more = idsOf(await take(stage, { now: 100, limit: 7 }))
      if (more.length === 0) break
      all.push(...more)
    }
    assert.deepEqual(all.sort(), noteIds.sort())
  }),

  check('takes nothing when asked for nothing, and tells when something is due', async (stage) => {
    await stage.write({ state: aState('note_1', { dirty: 1, dueAt: 500 }) }, { state: aState('note_2') })
    for (let time = 1; time <= 2; time += 1) {
      const { notes, nextDueAt } = await take(stage, { now: 1_000, until: 2_000, limit: 0 })
      assert.deepEqual({ notes, nextDueAt }, { notes: [], nextDueAt: 500 })
    }
    assert.equal((await stage.store.load(stage.scope, ['note_1'])).notes.get('note_1')?.version, 1)
  }),

  check('tells when the earliest of the others is due, whether it is by now or not', async (stage) => {
    assert.equal((await take(stage, { now: 1_000 })).nextDueAt, null)
    await stage.write(
      { state: aState('clean', { dueAt: 300 }) },
      { state: aState('dirty', { dirty: 1, dueAt: 400 }) },
      { state: aState('later', { dirty: 1, dueAt: 5_000 }) },
    )
    assert.equal((await take(stage, { now: 100, until: 200 })).nextDueAt, 300)
    const first = await take(stage, { now: 1_000, until: 2_000, limit: 1 })
    assert.deepEqual([idsOf(first), first.nextDueAt], [['dirty'], 300])
    const second = await take(stage, { now: 1_000, until: 3_000, limit: 1 })
    assert.deepEqual([idsOf(second), second.nextDueAt], [['clean'], 2_000])
    assert.equal((await take(stage, { now: 1_000 })).nextDueAt, 2_000)
    assert.equal((await take(stage, { now: 5_000, until: 9_000 })).nextDueAt, null)
  }),
]

async function take(
  { store, scope }: Stage,
  { now, until = now + 60_000, limit = 100 }: { now: number; until?: number; limit?: number },
): Promise<DueNotes> {
  return await store.takeDue(scope, { now, until, limit })
}

function idsOf({ notes }: DueNotes): string[] {
  return notes.map(({ state }) => state.noteId)
}
