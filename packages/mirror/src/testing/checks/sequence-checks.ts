import assert from 'node:assert/strict'
import { NO_PROGRESS } from '../../interfaces/progress.ts'
import { aLiveState } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const sequenceChecks: readonly MirrorStoreCheck[] = [
  check('keeps its data when it is migrated again, even concurrently', async ({ store, integration, write }) => {
    await write(aLiveState('note_1'))
    await Promise.all(Array.from({ length: 8 }, () => store.migrate()))
    assert.equal((await store.getNote(integration, 'note_1'))?.state.presence, 'live')
  }),

  check('reads an unused integration as empty', async ({ store, integration }) => {
    const { sequence: _, ...copy } = await store.readProgress(integration)
    const unused = { progress: NO_PROGRESS, progressVersion: 0, heardAt: null, nextDueAt: null, hiddenSince: null }
    assert.deepEqual(copy, unused)
    assert.equal((await store.load(integration, ['note_1'])).notes.size, 0)
    assert.equal(await store.getNote(integration, 'note_1'), undefined)
    const none = { live: 0, hidden: 0, gone: 0, dirty: 0, unsettled: 0, contradicted: 0 }
    assert.deepEqual(await store.count(integration), none)
  }),

  check('advances the sequence with each load, and with no other operation', async ({ store, integration, write }) => {
    const { sequence: first } = await store.load(integration, [])
    const { sequence: second } = await store.load(integration, ['note_1'])
    assert.ok(second > first, 'a load must advance the sequence')
    assert.equal((await store.readProgress(integration)).sequence, second)
    assert.equal((await store.readProgress(integration)).sequence, second)
    await write(aLiveState('note_1'))
    const { sequence: third } = await store.readProgress(integration)
    assert.ok(third > second, 'the load before the write must have advanced the sequence')
    assert.equal((await store.takeDue(integration, { now: 1, until: 2, limit: 10 })).sequence, third)
    assert.equal((await store.readProgress(integration)).sequence, third)
  }),

  check('returns a different number to each of many concurrent loads', async ({ store, integration }) => {
    const loads = await Promise.all(Array.from({ length: 40 }, () => store.load(integration, ['note_1'])))
    const numbers = loads.map(({ sequence }) => sequence)
    assert.equal(new Set(numbers).size, 40)
    const { sequence: next } = await store.load(integration, [])
    assert.ok(next > Math.max(...numbers), 'a later load must have a greater number')
  }),

  check('loads existing notes with state and version', async ({ store, integration, write }) => {
    await write(aLiveState('note_1', { revision: 7 }), aLiveState('note_2'))
    await write(aLiveState('note_2', { revision: 8 }))
    const { notes } = await store.load(integration, ['note_2', 'note_1', 'note_3'])
    assert.deepEqual([...notes.keys()].sort(), ['note_1', 'note_2'])
    assert.deepEqual(notes.get('note_1'), { state: aLiveState('note_1', { revision: 7 }), version: 1 })
    assert.deepEqual(notes.get('note_2'), { state: aLiveState('note_2', { revision: 8 }), version: 2 })
  }),

  check('loads a thousand notes at once', async ({ store, integration, write }) => {
    const noteIds = Array.from({ length: 1_000 }, (_, index) => `note_${index}`)
    await write(...noteIds.map((noteId) => aLiveState(noteId)))
    assert.equal((await store.load(integration, noteIds)).notes.size, 1_000)
  }),
]
