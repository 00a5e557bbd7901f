import assert from 'node:assert/strict'
import { aCertificate, aLiveState, aState, evidenceFrom } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const candidateChecks: readonly MirrorStoreCheck[] = [
  check('lists the live notes whose evidence starts before the scan', async ({ store, integration, write }) => {
    await write(
      aLiveState('before', { evidence: evidenceFrom(9) }),
      aLiveState('at the start', { evidence: evidenceFrom(10) }),
      aLiveState('after', { evidence: evidenceFrom(11) }),
      aLiveState('without', { evidence: null }),
      aState('hidden', { presence: 'hidden', evidence: evidenceFrom(1) }),
      aState('gone', { presence: 'gone', evidence: { ...evidenceFrom(1), says: 'absent' } }),
    )
    const certificate = aCertificate(10)
    assert.deepEqual(await store.listCandidates(integration, certificate, '', 10), ['before', 'without'])
    assert.equal(await store.countCandidates(integration, certificate), 2)
    assert.deepEqual(await store.listCandidates(integration, aCertificate(1), '', 10), ['without'])
  }),

  check('lists candidates by id and page while they get new evidence', async ({ store, integration, write }) => {
    const noteIds = Array.from({ length: 25 }, (_, index) => `note_${String(index).padStart(2, '0')}`)
    await write(...noteIds.toReversed().map((noteId) => aLiveState(noteId, { evidence: evidenceFrom(1) })))
    const certificate = aCertificate(10)
    assert.equal(await store.countCandidates(integration, certificate), 25)
    const seen: string[] = []
    for (let after = ''; ; ) {
      const page = await store.listCandidates(integration, certificate, after, 10)
      const last = page.at(-1)
      if (last === undefined) break
      seen.push(...page)
      await write(...page.map((noteId) => aLiveState(noteId, { evidence: evidenceFrom(20) })))
      after = last
    }
    assert.deepEqual(seen, noteIds)
    assert.equal(await store.countCandidates(integration, certificate), 0)
  }),

  check('lists the notes whose removal a scan holds back, by id and page', async ({ store, integration, write }) => {
    const held = { presence: 'hidden', heldByScan: 'scan_1' } as const
    await write(
      aState('c', held),
      aState('a', held),
      aState('b', held),
      aState('of another scan', { ...held, heldByScan: 'scan_2' }),
      aState('hidden by an event', { presence: 'hidden' }),
      aLiveState('back', { heldByScan: 'scan_1' }),
    )
    assert.deepEqual(await store.listHeld(integration, 'scan_1', '', 2), ['a', 'b'])
    assert.deepEqual(await store.listHeld(integration, 'scan_1', 'b', 2), ['c'])
    assert.deepEqual(await store.listHeld(integration, 'scan_1', 'c', 2), [])
    assert.deepEqual(await store.listHeld(integration, 'scan_3', '', 2), [])
    await write(aState('a', { presence: 'gone' }))
    assert.deepEqual(await store.listHeld(integration, 'scan_1', '', 2), ['b', 'c'])
  }),

  check('lists notes that an event hid at or before a time', async ({ store, integration, write }) => {
    await write(
      aState('c', { hiddenAt: 1_000 }),
      aState('b', { hiddenAt: 999 }),
      aState('a', { hiddenAt: 1 }),
      aState('later', { hiddenAt: 1_001 }),
      aState('by a wrong clock', { hiddenAt: 1_002 + 48 * 3_600_000 }),
      aState('never', { hiddenAt: null }),
      aState('gone', { presence: 'gone', hiddenAt: 1 }),
      aLiveState('back', { hiddenAt: 1 }),
    )
    assert.deepEqual([...(await store.listOverdue(integration, 1_000, 10))].sort(), ['a', 'b', 'by a wrong clock', 'c'])
    assert.equal((await store.listOverdue(integration, 1_000, 2)).length, 2)
    assert.deepEqual(await store.listOverdue(integration, 0, 10), ['by a wrong clock'])
    await write(aState('a'), aState('b'), aState('by a wrong clock'))
    assert.deepEqual(await store.listOverdue(integration, 1_000, 10), ['c'])
  }),

  check('lists the scans that hold removals back, with the number of notes', async ({ store, integration, write }) => {
    assert.deepEqual(await store.listHolds(integration), [])
    await write(
      aState('a', { heldByScan: 'scan_1' }),
      aState('b', { heldByScan: 'scan_2' }),
      aState('c', { heldByScan: 'scan_1' }),
      aState('hidden by an event'),
      aLiveState('back', { heldByScan: 'scan_3' }),
    )
    assert.deepEqual(await store.listHolds(integration), [
      { scanId: 'scan_1', notes: 2 },
      { scanId: 'scan_2', notes: 1 },
    ])
    await write(aState('b', { presence: 'gone' }))
    assert.deepEqual(await store.listHolds(integration), [{ scanId: 'scan_1', notes: 2 }])
  }),
]
