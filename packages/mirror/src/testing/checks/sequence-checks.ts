import assert from 'node:assert/strict'
import { NO_PROGRESS } from '../../listing/progress.ts'
import { aLiveState } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const sequenceChecks: readonly MirrorStoreCheck[] = [
  check(
    'makes its tables any number of times, also at once, and loses nothing by it',
    async ({ store, scope, write }) => {
      await write({ state: aLiveState('note_1') })
      await Promise.all(Array.from({ length: 8 }, () => store.migrate()))
      assert.equal((await store.getNote(scope, 'note_1'))?.state.presence, 'live')
    },
  ),

  check('knows nothing of a scope that it has never heard of', async ({ store, scope }) => {
    const { sequence: _, ...progress } = await store.readProgress(scope)
    assert.deepEqual(progress, { progress: NO_PROGRESS, progressVersion: 0, heardAt: null })
    assert.equal((await store.load(scope, ['note_1'])).notes.size, 0)
    assert.equal(await store.getNote(scope, 'note_1'), undefined)
    assert.deepEqual(await store.count(scope), { live: 0, hidden: 0, gone: 0, dirty: 0, unsettled: 0 })
  }),

  check(
    'advances the sequence with each load, also without notes, and by nothing else',
    async ({ store, scope, write }) => {
      const { sequence: first } = await store.load(scope, [])
      const { sequence: second } = await store.load(scope, ['note_1'])
      assert.ok(second > first, 'a load must advance the sequence')
      assert.equal((await store.readProgress(scope)).sequence, second)
      assert.equal((await store.readProgress(scope)).sequence, second)
      await write({ state: aLiveState('note_1') })
      const { sequence: third } = await store.readProgress(scope)
      assert.ok(third > second, 'the load before the write must have advanced the sequence')
      assert.equal((await store.takeDue(scope, { now: 1, until: 2, limit: 10 })).sequence, third)
      assert.equal((await store.readProgress(scope)).sequence, third)
    },
  ),

  check('hands no number out twice, however many ask at once', async ({ store, scope }) => {
    const loads = await Promise.all(Array.from({ length: 40 }, () => store.load(scope, ['note_1'])))
    const numbers = loads.map(({ sequence }) => sequence)
    assert.equal(new Set(numbers).size, 40)
    const { sequence: next } = await store.load(scope, [])
    assert.ok(next > Math.max(...numbers), 'a later load must have a greater number')
  }),

  check('loads those notes that are known, with state and version', async ({ store, scope, write }) => {
    await write({ state: aLiveState('note_1', { revision: 7 }) }, { state: aLiveState('note_2') })
    await write({ state: aLiveState('note_2', { revision: 8 }) })
    const { notes } = await store.load(scope, ['note_2', 'note_1', 'note_3'])
    assert.deepEqual([...notes.keys()].sort(), ['note_1', 'note_2'])
    assert.deepEqual(notes.get('note_1'), { state: aLiveState('note_1', { revision: 7 }), version: 1 })
    assert.deepEqual(notes.get('note_2'), { state: aLiveState('note_2', { revision: 8 }), version: 2 })
  }),

  check('loads a thousand notes at once', async ({ store, scope, write }) => {
    const noteIds = Array.from({ length: 1_000 }, (_, index) => `note_${index}`)
    await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId) })))
    assert.equal((await store.load(scope, noteIds)).notes.size, 1_000)
  }),
]
