import assert from 'node:assert/strict'
import { aCertificate, aLiveState, aState, evidenceFrom } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const candidateChecks: readonly MirrorStoreCheck[] = [
  check(
    'finds the live notes whose evidence starts before the scan did, and no other',
    async ({ store, scope, write }) => {
      await write(
        { state: aLiveState('before', { evidence: evidenceFrom(9) }) },
        { state: aLiveState('at the start', { evidence: evidenceFrom(10) }) },
        { state: aLiveState('after', { evidence: evidenceFrom(11) }) },
        { state: aLiveState('without', { evidence: null }) },
        { state: aState('hidden', { presence: 'hidden', evidence: evidenceFrom(1) }) },
        { state: aState('gone', { presence: 'gone', evidence: { ...evidenceFrom(1), says: 'absent' } }) },
      )
      const certificate = aCertificate(10)
      assert.deepEqual(await store.listCandidates(scope, certificate, '', 10), ['before', 'without'])
      assert.equal(await store.countCandidates(scope, certificate), 2)
      assert.deepEqual(await store.listCandidates(scope, aCertificate(1), '', 10), ['without'])
    },
  ),

  check('goes through candidates by id, page by page, while they are settled', async ({ store, scope, write }) => {
    const noteIds = Array.from({ length: 25 }, (_, index) => `note_${String(index).padStart(2, '0')}`)
    await write(...noteIds.toReversed().map((noteId) => ({ state: aLiveState(noteId, { evidence: evidenceFrom(1) }) })))
    const certificate = aCertificate(10)
    assert.equal(await store.countCandidates(scope, certificate), 25)
    const seen: string[] = []
    for (let after = ''; ; ) {
      const page = await store.listCandidates(scope, certificate, after, 10)
      const last = page.at(-1)
      if (last === undefined) break
      seen.push(...page)
      await write(...page.map((noteId) => ({ state: aLiveState(noteId, { evidence: evidenceFrom(20) }) })))
      after = last
    }
    assert.deepEqual(seen, noteIds)
    assert.equal(await store.countCandidates(scope, certificate), 0)
  }),

  check('lists what a scan holds back, by id, page by page', async ({ store, scope, write }) => {
    const held = { presence: 'hidden', heldByScan: 'scan_1' } as const
    await write(
      { state: aState('c', held) },
      { state: aState('a', held) },
      { state: aState('b', held) },
      { state: aState('of another scan', { ...held, heldByScan: 'scan_2' }) },
      { state: aState('hidden by an event', { presence: 'hidden' }) },
      { state: aLiveState('back', { heldByScan: 'scan_1' }) },
    )
    assert.deepEqual(await store.listHeld(scope, 'scan_1', '', 2), ['a', 'b'])
    assert.deepEqual(await store.listHeld(scope, 'scan_1', 'b', 2), ['c'])
    assert.deepEqual(await store.listHeld(scope, 'scan_1', 'c', 2), [])
    assert.deepEqual(await store.listHeld(scope, 'scan_3', '', 2), [])
    await write({ state: aState('a', { presence: 'gone' }) })
    assert.deepEqual(await store.listHeld(scope, 'scan_1', '', 2), ['b', 'c'])
  }),

  check('lists notes that were hidden by an event at a time or before', async ({ store, scope, write }) => {
    await write(
      { state: aState('c', { hiddenAt: 1_000 }) },
      { state: aState('b', { hiddenAt: 999 }) },
      { state: aState('a', { hiddenAt: 1 }) },
      { state: aState('later', { hiddenAt: 1_001 }) },
      { state: aState('never', { hiddenAt: null }) },
      { state: aState('gone', { presence: 'gone', hiddenAt: 1 }) },
      { state: aLiveState('back', { hiddenAt: 1 }) },
    )
    assert.deepEqual([...(await store.listOverdue(scope, 1_000, 10))].sort(), ['a', 'b', 'c'])
    assert.equal((await store.listOverdue(scope, 1_000, 2)).length, 2)
    assert.deepEqual(await store.listOverdue(scope, 0, 10), [])
    await write({ state: aState('a') }, { state: aState('b') })
    assert.deepEqual(await store.listOverdue(scope, 1_000, 10), ['c'])
  }),

  check('tells which scans hold notes back, and how many each', async ({ store, scope, write }) => {
    assert.deepEqual(await store.listHolds(scope), [])
    await write(
      { state: aState('a', { heldByScan: 'scan_1' }) },
      { state: aState('b', { heldByScan: 'scan_2' }) },
      { state: aState('c', { heldByScan: 'scan_1' }) },
      { state: aState('hidden by an event') },
      { state: aLiveState('back', { heldByScan: 'scan_3' }) },
    )
    assert.deepEqual(await store.listHolds(scope), [
      { scanId: 'scan_1', notes: 2 },
      { scanId: 'scan_2', notes: 1 },
    ])
    await write({ state: aState('b', { presence: 'gone' }) })
    assert.deepEqual(await store.listHolds(scope), [{ scanId: 'scan_1', notes: 2 }])
  }),
]
