import assert from 'node:assert/strict'
import { NO_PROGRESS } from '../../interfaces/progress.ts'
import { aCertificate, aLiveState, aNote, aState } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const integrationChecks: readonly MirrorStoreCheck[] = [
  check('isolates integrations in every operation', async ({ store, integration, write }) => {
    const state = aLiveState('note_1', { dirty: 1, dueAt: 1 })
    await write({ state, content: { note: aNote('note_1') }, announce: 'appeared' })
    await write(aState('held', { heldByScan: 'scan_1', hiddenAt: 1 }))
    const progress = { expectedVersion: 0, next: { ...NO_PROGRESS, key: { kind: 'key_id', keyId: 'key_1' } as const } }
    await store.commit(integration, { notes: [], progress, heardAt: 5 })
    for (const other of [
      `other-${integration}`,
      `${integration} `,
      `${integration}:note_1`,
      integration.toUpperCase(),
    ]) {
      assert.deepEqual((await store.readProgress(other)).progress, NO_PROGRESS)
      assert.equal((await store.readProgress(other)).heardAt, null)
      assert.equal((await store.load(other, ['note_1'])).notes.size, 0)
      assert.equal(await store.getNote(other, 'note_1'), undefined)
      assert.deepEqual(await store.listNotes(other, '', 10), [])
      assert.deepEqual(await store.listChanges(other, 0, 10), [])
      assert.deepEqual(await store.listCandidates(other, aCertificate(99), '', 10), [])
      assert.equal(await store.countCandidates(other, aCertificate(99)), 0)
      assert.deepEqual(await store.listHeld(other, 'scan_1', '', 10), [])
      assert.deepEqual(await store.listHolds(other), [])
      assert.deepEqual(await store.listOverdue(other, 9, 10), [])
      assert.equal(await store.latestPosition(other), 0)
      assert.deepEqual(await store.search(other, ['stand-up'], 10), [])
      assert.equal((await store.count(other)).live, 0)
      const { notes, nextDueAt } = await store.takeDue(other, { now: 9, until: 10, limit: 10 })
      assert.deepEqual({ notes, nextDueAt }, { notes: [], nextDueAt: null })
    }
  }),

  check('isolates notes with the same id in two integrations', async ({ store, integration }) => {
    const integrations = [integration, `other-${integration}`]
    for (const [index, each] of integrations.entries()) {
      const write = { state: aLiveState('note_1', { revision: index }), expectedVersion: 0 }
      const content = { note: aNote('note_1', { title: `of integration ${index}` }) }
      assert.equal(await store.commit(each, { notes: [{ ...write, content, announce: 'appeared' }] }), 'committed')
    }
    const notes = [{ state: aLiveState('note_1'), expectedVersion: 1, content: 'erase', announce: 'vanished' }] as const
    assert.equal(await store.commit(integration, { notes }), 'committed')
    const other = await store.getNote(`other-${integration}`, 'note_1')
    assert.deepEqual(other?.note, aNote('note_1', { title: 'of integration 1' }))
    assert.equal(other?.state.revision, 1)
    const [change] = await store.listChanges(`other-${integration}`, 0, 10)
    assert.equal(change?.visibleSince, change?.position)
  }),

  check('accepts any characters in the name of an integration', async ({ store, integration }) => {
    for (const name of [
      `${integration}'"%_\\`,
      `${integration} \u{1F4DD}`,
      `${integration}é`,
      `${integration}e\u0301`,
      `${integration}\u0000`,
    ]) {
      const notes = [{ state: aLiveState('note_1', { heldByScan: name }), expectedVersion: 0 }]
      assert.equal(await store.commit(name, { notes }), 'committed')
      assert.equal((await store.getNote(name, 'note_1'))?.state.heldByScan, name)
    }
  }),
]
