import assert from 'node:assert/strict'
import {
  type ConsumableNotes,
  type ConsumerNote,
  type ConsumerState,
  NEW_CONSUMER,
} from '../../interfaces/consumer-store.ts'
import type { NoteWrite } from '../../interfaces/note-write.ts'
import type { MirrorStore } from '../../interfaces/store.ts'
import { aLiveState, aNote, aState, aSummary, aTranscript } from './builders.ts'
import { type CheckContext, check, idsOf, type MirrorStoreCheck } from './check.ts'

export const consumerChecks: readonly MirrorStoreCheck[] = [
  check('reads a consumer that was never written as a new consumer', async ({ store, integration }) => {
    const { state, version, token, hasChanges, nextDueAt } = await store.readConsumer(integration, 'index')
    assert.deepEqual(state, NEW_CONSUMER)
    assert.deepEqual(
      { version, token, hasChanges, nextDueAt },
      { version: 0, token: 0, hasChanges: false, nextDueAt: null },
    )
    assert.deepEqual(await store.describeConsumer(integration, 'index'), { lag: 0, waiting: 0, parked: [] })
    assert.equal(await store.retryParked(integration, 'index', 1), 0)
    assert.equal(await store.renewConsumer(integration, 'index', 1, 1), 'lost')
  }),

  check('stores every field of a consumer and of its notes', async (context) => {
    const { store, integration, write } = context
    await write(...['a', 'b', 'c'].map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    const state: ConsumerState = {
      cursor: 9_007_199_254_740_000,
      base: 2,
      startedAt: 3,
      failures: 2,
      dueAt: 1_760_000_000_001,
      leaseUntil: 1_760_000_000_002,
      error: { name: 'TypeError', code: 'E_1' },
    }
    const notes = { a: WAITING, b: PARKED, c: { ...WAITING, dueAt: null, error: null } }
    await commit(context, { state, notes })
    assert.deepEqual((await store.readConsumer(integration, 'index')).state, state)
    const { changes } = await listed(context, { after: 0 })
    assert.deepEqual(
      changes.map(({ kept }) => kept),
      Object.values(notes),
    )
    const { waiting, parked } = await store.describeConsumer(integration, 'index')
    assert.deepEqual({ waiting, parked }, { waiting: 1, parked: [{ noteId: 'b', ...PARKED }] })
    await commit(context, { notes: { a: null, b: WAITING } })
    const after = (await listed(context, { after: 0 })).changes.map(({ kept }) => kept)
    assert.deepEqual(after, [null, WAITING, notes.c])
    await commit(context, { notes: { a: PARKED }, forgetsApplied: true })
    const last = (await listed(context, { after: 0 })).changes.map(({ kept }) => kept)
    assert.deepEqual(last, [PARKED, WAITING, null])
  }),

  check('rejects a consumer that was written since, with its notes', async (context) => {
    const { store, integration } = context
    const next = {
      token: 7,
      state: { ...NEW_CONSUMER, cursor: 5 },
      notes: new Map([['a', PARKED]]),
      forgetsApplied: false,
    }
    assert.equal(await store.commitConsumer(integration, 'index', { ...next, expectedVersion: 3 }), 'lost')
    const results = await Promise.all(
      Array.from({ length: 5 }, () => store.commitConsumer(integration, 'index', { ...next, expectedVersion: 0 })),
    )
    assert.deepEqual(results.sort(), ['committed', 'lost', 'lost', 'lost', 'lost'])
    for (const expectedVersion of [0, 2]) {
      const other = { ...next, expectedVersion, token: 8, state: NEW_CONSUMER, notes: new Map([['b', PARKED]]) }
      assert.equal(await store.commitConsumer(integration, 'index', other), 'lost')
    }
    const { state, version, token } = await store.readConsumer(integration, 'index')
    assert.deepEqual({ cursor: state.cursor, version, token }, { cursor: 5, version: 1, token: 7 })
    const { parked } = await store.describeConsumer(integration, 'index')
    assert.deepEqual(
      parked.map(({ noteId }) => noteId),
      ['a'],
    )
  }),

  check('renews a lease while its token is current and it was not released', async (context) => {
    const { store, integration } = context
    await commit(context, { token: 4, state: { ...NEW_CONSUMER, leaseUntil: 55 } })
    assert.equal(await store.renewConsumer(integration, 'index', 3, 99), 'lost')
    assert.equal(await store.renewConsumer(integration, 'index', 4, 77), 'renewed')
    const { state, version } = await store.readConsumer(integration, 'index')
    assert.deepEqual({ until: state.leaseUntil, version }, { until: 77, version: 1 })
    await commit(context, { token: 4 })
    assert.equal(await store.renewConsumer(integration, 'index', 4, 88), 'lost')
    assert.equal((await store.readConsumer(integration, 'index')).state.leaseUntil, null)
  }),

  check('lists changes after the cursor, and due notes that did not change after it', async (context) => {
    const { store, integration, write } = context
    const noteIds = ['a', 'b', 'c', 'd', 'e']
    await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    const [, , third] = (await listed(context, { after: 0 })).changes
    const cursor = third?.position ?? 0
    const notes = { a: { ...WAITING, dueAt: 20 }, b: { ...WAITING, dueAt: 10 }, c: PARKED, d: WAITING }
    await commit(context, { state: { ...NEW_CONSUMER, cursor }, notes })
    const record = await store.readConsumer(integration, 'index')
    assert.deepEqual([record.hasChanges, record.nextDueAt], [true, 10])
    assert.deepEqual(idsIn(await listed(context, { after: cursor, now: 20 })), { changes: ['d', 'e'], due: ['b', 'a'] })
    assert.deepEqual(idsIn(await listed(context, { after: cursor, now: 19 })), { changes: ['d', 'e'], due: ['b'] })
    assert.deepEqual(idsIn(await listed(context, { after: cursor, now: 20, limit: 1 })), { changes: ['d'], due: ['b'] })
    await write({ state: aLiveState('b'), announce: 'changed' })
    assert.deepEqual(idsIn(await listed(context, { after: cursor, now: 20 })), { changes: ['d', 'e', 'b'], due: ['a'] })
    assert.equal((await store.describeConsumer(integration, 'index')).lag, 3)
  }),

  check('makes parked notes due', async (context) => {
    const { store, integration } = context
    await commit(context, { notes: { a: PARKED, b: WAITING, c: PARKED } })
    assert.equal(await store.retryParked(integration, 'index', 5), 2)
    const { waiting, parked } = await store.describeConsumer(integration, 'index')
    assert.deepEqual({ waiting, parked }, { waiting: 3, parked: [] })
    assert.equal((await store.readConsumer(integration, 'index')).nextDueAt, 5)
  }),

  check('isolates consumers and integrations', async (context) => {
    const { store, integration } = context
    await commit(context, { state: { ...NEW_CONSUMER, cursor: 5 }, notes: { a: PARKED } })
    for (const [other, name] of [
      [integration, 'index '],
      [integration, '\u0000"'],
      [`other-${integration}`, 'index'],
    ] as const) {
      assert.deepEqual((await store.readConsumer(other, name)).state, NEW_CONSUMER)
      assert.deepEqual((await store.describeConsumer(other, name)).parked, [])
      assert.equal(await store.retryParked(other, name, 1), 0)
      const first = { expectedVersion: 0, token: 1, state: NEW_CONSUMER, notes: new Map([['a', null]]) }
      assert.equal(await store.commitConsumer(other, name, { ...first, forgetsApplied: false }), 'committed')
      assert.equal((await store.readConsumer(other, name)).version, 1)
    }
    assert.equal((await store.describeConsumer(integration, 'index')).parked.length, 1)
  }),

  check('stores the position at which each part of a note last changed', async (context) => {
    const { store, integration, write } = context
    const live = aLiveState('note_1', { status: 'ended' })
    const changed = async (written: Omit<NoteWrite, 'expectedVersion'>) => {
      await write(written)
      const [{ changedAt, position } = NOT_THERE] = (await listed(context, { after: 0 })).changes
      return Object.entries(changedAt)
        .flatMap(([part, at]) => (at === position ? [part] : []))
        .sort()
    }
    const note = aNote('note_1')
    const all = { note, transcript: aTranscript('note_1'), summary: aSummary('note_1') }
    const expected = ['content', 'statuses', 'summary', 'title', 'transcript']
    assert.deepEqual(await changed({ state: live, content: all, announce: 'appeared' }), expected)
    const [before] = (await listed(context, { after: 0 })).changes
    assert.deepEqual(await changed({ state: live, content: all, announce: 'changed' }), [])
    const again = { note: { ...note, revision: 2 }, transcript: { ...all.transcript, revision: 2 } }
    assert.deepEqual(await changed({ state: live, content: again, announce: 'changed' }), [])
    const renamed = { note: { ...note, title: 'Other' } }
    assert.deepEqual(await changed({ state: live, content: renamed, announce: 'changed' }), ['title'])
    const spoken = { transcript: { ...all.transcript, segments: [] } }
    assert.deepEqual(await changed({ state: live, content: spoken, announce: 'changed' }), ['transcript'])
    const summarised = { ...live, summaryStatus: 'ready' as const }
    const without = { state: summarised, content: { summary: null }, announce: 'changed' as const }
    assert.deepEqual(await changed(without), ['statuses', 'summary'])
    const [after] = (await listed(context, { after: 0 })).changes
    assert.equal(after?.changedAt.content, before?.position)
    assert.deepEqual(after?.note, renamed.note)
    // Content that is written after it was erased counts as changed, even if it is the same.
    await write({ state: aState('note_1', { presence: 'gone' }), content: 'erase', announce: 'vanished' })
    assert.deepEqual(await changed({ state: live, content: { note }, announce: 'appeared' }), [
      'content',
      'statuses',
      'title',
    ])
    assert.equal((await store.getNote(integration, 'note_1'))?.summary, null)
  }),

  check('stores the position at which a note last vanished', async (context) => {
    const { write } = context
    const steps = [
      { presence: 'live', announce: 'appeared', isVanishing: false },
      { presence: 'live', announce: 'changed', isVanishing: false },
      { presence: 'hidden', announce: 'vanished', isVanishing: true },
      { presence: 'gone', announce: 'vanished', isVanishing: false },
      { presence: 'live', announce: 'appeared', isVanishing: false },
      { presence: 'gone', announce: 'vanished', isVanishing: true },
    ] as const
    let before = 0
    for (const { presence, announce, isVanishing } of steps) {
      await write({ state: aState('note_1', { presence, revision: 1 }), announce })
      const [{ vanishedSince, position } = NOT_THERE] = (await listed(context, { after: 0 })).changes
      assert.equal(vanishedSince, isVanishing ? position : before)
      before = vanishedSince
    }
  }),
]

const WAITING: ConsumerNote = {
  since: 4,
  attempts: 2,
  dueAt: 1_760_000_000_003,
  parkedAt: null,
  error: { name: 'Error', code: null },
}
const PARKED: ConsumerNote = { ...WAITING, dueAt: null, parkedAt: 1_760_000_000_004 }

const NOT_THERE = { changedAt: {}, position: -1, vanishedSince: -1 }

interface Written {
  readonly token?: number
  readonly state?: ConsumerState
  readonly notes?: Readonly<Record<string, ConsumerNote | null>>
  readonly forgetsApplied?: boolean
}

async function commit(
  { store, integration }: CheckContext,
  { token = 1, state = NEW_CONSUMER, notes = {}, forgetsApplied = false }: Written,
) {
  const { version: expectedVersion } = await store.readConsumer(integration, 'index')
  const next = { expectedVersion, token, state, notes: new Map(Object.entries(notes)), forgetsApplied }
  assert.equal(await store.commitConsumer(integration, 'index', next), 'committed')
}

function listed(
  { store, integration }: CheckContext,
  request: Partial<Parameters<MirrorStore['listConsumable']>[2]>,
): Promise<ConsumableNotes> {
  return store.listConsumable(integration, 'index', { after: 0, now: 0, limit: 100, ...request })
}

function idsIn({ changes, due }: ConsumableNotes) {
  return { changes: idsOf(changes), due: idsOf(due) }
}
