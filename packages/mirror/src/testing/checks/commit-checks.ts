import assert from 'node:assert/strict'
import type { KeyIdentity } from '@notewire/client'
import type { NoteState } from '../../interfaces/note-state.ts'
import { type MirrorProgress, NO_PROGRESS } from '../../interfaces/progress.ts'
import { aCertificate, aLiveState, aNote, aState } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const commitChecks: readonly MirrorStoreCheck[] = [
  check('stores every field of a state', async ({ store, integration, write }) => {
    for (const state of [aState('bare'), FULL]) {
      await write(state)
      const { notes } = await store.load(integration, [state.noteId])
      assert.deepEqual(notes.get(state.noteId)?.state, state)
    }
    // Each field can be cleared.
    await write(aState(FULL.noteId))
    assert.deepEqual((await store.getNote(integration, FULL.noteId))?.state, aState(FULL.noteId))
  }),

  check(
    'stores the evidence of stamps, if the notes have the expected versions',
    async ({ store, integration, write }) => {
      const evidence = { says: 'present', start: 51, end: 52, source: 'scan', at: 1_760_000_000_009 } as const
      const unread = aState('unread', { dirty: 1, dueAt: 1 })
      await write(FULL, aLiveState('live'), unread)
      const stamped = [{ ...FULL, evidence }, { ...aLiveState('live'), evidence }, unread]
      const stamp = (expectedVersion: number) =>
        store.commit(integration, { notes: stamped.map((state) => ({ state, expectedVersion, isStamp: true })) })
      assert.equal(await stamp(2), 'conflict')
      assert.equal(await stamp(1), 'committed')
      assert.equal(await stamp(1), 'conflict')
      const { notes } = await store.load(integration, [FULL.noteId, 'live', 'unread'])
      for (const state of stamped) assert.deepEqual(notes.get(state.noteId), { state, version: 2 })
      assert.deepEqual(await store.listChanges(integration, 0, 10), [])
      assert.equal(await store.countCandidates(integration, aCertificate(51)), 0)
    },
  ),

  check('stores the progress, and counts its versions', async ({ store, integration }) => {
    for (const [expectedVersion, key] of KEYS.entries()) {
      const next = { ...PROGRESS, key }
      assert.equal(await store.commit(integration, { notes: [], progress: { expectedVersion, next } }), 'committed')
      const loaded = await store.readProgress(integration)
      assert.deepEqual(loaded.progress, next)
      assert.equal(loaded.progressVersion, expectedVersion + 1)
    }
  }),

  check('stores the latest time of an event, in any order of writes', async ({ store, integration }) => {
    for (const heardAt of [2_000, 3_000, 1_000]) {
      assert.equal(await store.commit(integration, { notes: [], heardAt }), 'committed')
    }
    assert.equal((await store.readProgress(integration)).heardAt, 3_000)
    assert.equal((await store.load(integration, [])).heardAt, 3_000)
    assert.equal((await store.readProgress(integration)).progressVersion, 0)
  }),

  check('rejects a note that was written since it was loaded', async ({ store, integration, write }) => {
    const state = aLiveState('note_1')
    await write(state)
    await write(state)
    for (const expectedVersion of [0, 1, 3]) {
      assert.equal(await store.commit(integration, { notes: [{ state, expectedVersion }] }), 'conflict')
    }
    assert.equal(await store.commit(integration, { notes: [{ state, expectedVersion: 2 }] }), 'committed')
  }),

  check('rejects an unknown note if a version is expected', async ({ store, integration }) => {
    const notes = [{ state: aLiveState('note_1'), expectedVersion: 1 }]
    assert.equal(await store.commit(integration, { notes }), 'conflict')
    assert.equal(await store.getNote(integration, 'note_1'), undefined)
  }),

  check('rejects a progress that was written since it was loaded', async ({ store, integration }) => {
    const progress = { expectedVersion: 0, next: PROGRESS }
    assert.equal(
      await store.commit(integration, { notes: [], progress: { ...progress, expectedVersion: 1 } }),
      'conflict',
    )
    assert.equal(await store.commit(integration, { notes: [], progress }), 'committed')
    assert.equal(await store.commit(integration, { notes: [], progress }), 'conflict')
  }),

  ...['a note', 'the progress'].map((stale) =>
    check(`writes nothing if ${stale} was written meanwhile`, async ({ store, integration, write }) => {
      await write({ state: aLiveState('old', { revision: 5 }), content: { note: aNote('old') }, announce: 'appeared' })
      const before = await everythingOf(store, integration)
      const outcome = await store.commit(integration, {
        notes: [
          { state: aLiveState('new'), expectedVersion: 0, content: { note: aNote('new') }, announce: 'appeared' },
          {
            state: aLiveState('old', { revision: 6 }),
            expectedVersion: stale === 'a note' ? 0 : 1,
            content: 'erase',
            announce: 'vanished',
          },
        ],
        progress: { expectedVersion: stale === 'the progress' ? 7 : 0, next: PROGRESS },
        heardAt: 9_000,
      })
      assert.equal(outcome, 'conflict')
      assert.deepEqual(await everythingOf(store, integration), before)
    }),
  ),

  check('lets one of many concurrent writers write a note', async ({ store, integration }) => {
    const writers = Array.from({ length: 20 }, (_, revision) =>
      store.commit(integration, { notes: [{ state: aLiveState('note_1', { revision }), expectedVersion: 0 }] }),
    )
    const outcomes = await Promise.all(writers)
    assert.equal(outcomes.filter((outcome) => outcome === 'committed').length, 1)
    const written = await store.getNote(integration, 'note_1')
    assert.equal(written?.state.revision, outcomes.indexOf('committed'))
  }),

  check('loses no change of concurrent writers that retry', async ({ store, integration }) => {
    const increment = async () => {
      for (;;) {
        const { notes } = await store.load(integration, ['note_1'])
        const { state, version } = notes.get('note_1') ?? { state: aState('note_1'), version: 0 }
        const write = { state: { ...state, attempts: state.attempts + 1 }, expectedVersion: version }
        if ((await store.commit(integration, { notes: [write] })) === 'committed') return
      }
    }
    await Promise.all(Array.from({ length: 12 }, increment))
    assert.equal((await store.getNote(integration, 'note_1'))?.state.attempts, 12)
    assert.equal((await store.load(integration, ['note_1'])).notes.get('note_1')?.version, 12)
  }),
]

async function everythingOf(store: Parameters<MirrorStoreCheck['run']>[0], integration: string): Promise<unknown> {
  return {
    progress: await store.readProgress(integration),
    notes: await Promise.all(['old', 'new'].map((noteId) => store.getNote(integration, noteId))),
    versions: (await store.takeDue(integration, { now: 0, until: 0, limit: 0 })).nextDueAt,
    feed: await store.listChanges(integration, 0, 10),
    counts: await store.count(integration),
  }
}

/** A state in which every field differs from that of an unknown note. */
const FULL: NoteState = {
  noteId: 'full',
  presence: 'gone',
  evidence: { says: 'absent', start: 41, end: 43, source: 'backfill', at: 1_760_000_000_001 },
  revision: 9_007_199_254_740_991,
  recordSeenAt: 1_760_000_000_005,
  status: 'an unknown status: \u0000 \uD83D \u001A',
  transcriptStatus: 'ready',
  summaryStatus: 'failed',
  createdAt: '2026-01-01T09:00:00Z',
  updatedAt: '2026-01-01T09:00:00.123456+01:00',
  settledRevision: 0,
  transcriptHeld: 'not_ready',
  summaryHeld: 'missing',
  dirty: 42,
  hintedRevision: 12,
  hiddenBy: 44,
  hiddenAt: 1_760_000_000_002,
  floor: {
    revision: 9_007_199_254_740_991,
    at: 1_760_000_000_006,
    deletedAt: 1_760_000_000_007,
    unrevisedAt: 1_760_000_000_008,
  },
  contradictedSince: 1_760_000_000_008,
  heldByScan: 'scan_1',
  attempts: 3,
  failures: 2,
  dueAt: 1_760_000_000_003,
  heard: { kind: 'note.updated', revision: null, sequence: 12, at: 1_760_000_000_004 },
}

const KEYS: readonly KeyIdentity[] = [
  { kind: 'key_id', keyId: 'key_1' },
  { kind: 'digest', digest: '0123456789abcdef' },
]

const PROGRESS: MirrorProgress = {
  ...NO_PROGRESS,
  poll: { ...NO_PROGRESS.poll, checkpoint: 'opaque "text" \u{1F4DD}', watermark: 1_760_000_000_000 },
  scan: {
    scanId: 'scan_1',
    startedAt: 17,
    beganAt: 1_760_000_000_000,
    phase: 'listing',
    cursor: 'c'.repeat(3_000),
    seen: 100,
    kept: 0,
    missing: 0,
    holdsBack: false,
    confirmation: { startedAt: 18, cursor: 'c', isComplete: false },
  },
  lister: { holder: 'process 1', until: 1_760_000_060_000 },
}
