import assert from 'node:assert/strict'
import { NEW_CONSUMER } from '../../interfaces/consumer-store.ts'
import {
  type Fence,
  type IntegrationRecord,
  type IntegrationStore,
  MAX_WAIT_MS,
  type NextWork,
} from '../../interfaces/integration-store.ts'
import { ERASE_WITHIN_MS } from '../../interfaces/note-state.ts'
import { NO_PROGRESS } from '../../interfaces/progress.ts'
import { aLiveState, aNote, aState } from './builders.ts'
import { type CheckContext, check, type MirrorStoreCheck } from './check.ts'

// The checks share one store, and `take` takes any integration in it. Each check therefore names its integration.
const NOW = 1_760_000_000_000
const LEASE_MS = 60_000

export const manyChecks: readonly MirrorStoreCheck[] = [
  check('adds an integration once, due now', async ({ store: { integrations }, integration }) => {
    assert.equal(await integrations.get(integration), undefined)
    const added = await integrations.put(integration, 'first', NOW)
    assert.deepEqual(added, {
      integration,
      generation: 'first',
      state: 'active',
      parkedBecause: null,
      dueAt: NOW,
      rank: 2,
      hints: 0,
      token: 0,
      failures: 0,
      pausedUntil: null,
      keyPrint: null,
      pollEveryMs: null,
      endpoint: null,
    } satisfies IntegrationRecord)
    assert.deepEqual(await integrations.put(integration, 'second', NOW + 1), added)
    assert.deepEqual(await integrations.get(integration), added)
  }),

  checkAdded('gives a due integration to one worker only', async ({ integration }, integrations) => {
    const request = { now: NOW, until: NOW + LEASE_MS, most: 3, integration }
    assert.equal(await integrations.take({ ...request, now: NOW - 1 }), undefined)
    assert.equal(await integrations.take({ ...request, most: 1 }), undefined)
    const takers = await Promise.all(Array.from({ length: 8 }, () => integrations.take(request)))
    assert.deepEqual(
      takers.flatMap((taken) => taken ?? []).map(({ record }) => [record.token, record.dueAt]),
      [[1, NOW + LEASE_MS]],
    )
    assert.equal(
      (await integrations.take({ ...request, now: NOW + LEASE_MS, until: NOW + 2 * LEASE_MS }))?.record.token,
      2,
    )
  }),

  checkAdded(
    'takes an integration whose lease ends more than twice its length ahead',
    async (context, integrations) => {
      const { integration } = context
      const lost = await taken(integrations, integration, NOW)
      const ago = (ms: number) => ({ now: NOW - ms, until: NOW - ms + LEASE_MS, most: 3, integration })
      assert.equal(await integrations.take(ago(LEASE_MS)), undefined)
      assert.equal((await integrations.take(ago(LEASE_MS + 1)))?.record.token, lost.token + 1)
      await expectRejected(context, lost)
    },
  ),

  checkAdded('takes an integration that would be due more than a day ahead', async ({ integration }, integrations) => {
    const later = { dueAt: NOW + MAX_WAIT_MS }
    await finish(integrations, await taken(integrations, integration), later)
    const request = { now: NOW, until: NOW + LEASE_MS, most: 3, integration }
    assert.equal(await integrations.take(request), undefined)
    const before = await integrations.count(NOW)
    const back = await integrations.count(NOW - 1)
    assert.ok(back.due > 0)
    assert.ok(before.nextAt !== null && before.nextAt <= NOW + MAX_WAIT_MS)
    assert.ok(back.nextAt === null || back.nextAt <= NOW - 1 + MAX_WAIT_MS)
    assert.ok(await integrations.take({ ...request, now: NOW - 1 }))
  }),

  check('takes by rank, then the most overdue', async ({ store: { integrations }, integration }) => {
    // Early, so that no integration of another check is due.
    const early = NOW - MAX_WAIT_MS / 2
    const work = [
      ['scan', { rank: 3, dueAt: early + 1 }],
      ['poll, 20', { rank: 1, dueAt: early + 20 }],
      ['poll, 10', { rank: 1, dueAt: early + 10 }],
      ['hint', { rank: 0, dueAt: early + 30 }],
      ['later', { rank: 0, dueAt: early + 31 }],
    ] as const
    for (const [name, next] of work) {
      await integrations.put(`${integration} ${name}`, 'first', early)
      await finish(integrations, await taken(integrations, `${integration} ${name}`, early), next)
    }
    const order: string[] = []
    for (;;) {
      const taken = await integrations.take({ now: early + 30, until: NOW + MAX_WAIT_MS / 4, most: 3 })
      if (taken === undefined) break
      order.push(taken.record.integration.slice(integration.length + 1))
    }
    assert.deepEqual(order, ['hint', 'poll, 10', 'poll, 20', 'scan'])
    for (const [name] of work) await remove(integrations, `${integration} ${name}`)
  }),

  check(
    'returns the state of the copy to the worker that takes an integration',
    async ({ store, integration, write }) => {
      const { integrations } = store
      await integrations.put(integration, 'first', NOW)
      const { copy } = (await integrations.take({ now: NOW, until: NOW + 1, most: 3, integration })) ?? {}
      assert.deepEqual(copy?.progress, NO_PROGRESS)
      assert.equal(copy?.heardAt, null)
      const progress = { expectedVersion: 0, next: { ...NO_PROGRESS, copyId: 'copy-1' } }
      await store.commit(integration, { notes: [], progress, heardAt: NOW })
      await write(
        aLiveState('late', { dueAt: NOW + 20 }),
        aLiveState('dirty', { dirty: 1, dueAt: NOW + 10 }),
        aState('hidden', { presence: 'hidden', hiddenAt: NOW + 5 }),
      )
      const taken = (await integrations.take({ now: NOW + 1, until: NOW + 2, most: 3, integration }))?.copy
      assert.deepEqual(taken, await store.readProgress(integration))
      assert.equal(taken?.progress.copyId, 'copy-1')
      assert.ok((taken?.nextDueAt ?? Number.NaN) <= NOW + 10)
      assert.ok((taken?.hiddenSince ?? Number.NaN) <= NOW + 5)
    },
  ),

  checkAdded('writes the state and schedule of a worker that finishes', async ({ integration }, integrations) => {
    const record = await taken(integrations, integration)
    const next: NextWork = {
      state: 'parked',
      parkedBecause: 'key_refused',
      dueAt: null,
      rank: 3,
      failures: 4,
      pausedUntil: NOW + 7,
      pollEveryMs: 300_000.5,
      endpoint: {
        url: 'https://app.example/\u{1F4DD}',
        id: 'we_1',
        status: 'active',
        checkAt: NOW,
        repairs: 1,
        heardAt: NOW - 1,
      },
    }
    assert.equal(await integrations.finish(integration, record, next, { hints: 0, now: NOW }), true)
    assert.deepEqual(await integrations.get(integration), { ...record, ...next })
  }),

  checkAdded('keeps an integration due if it got a hint while a worker had it', async (context, integrations) => {
    const { integration } = context
    const record = await taken(integrations, integration)
    await storeHint(context, 'note_1', { generation: 'first' })
    assert.equal((await integrations.get(integration))?.dueAt, NOW + LEASE_MS)
    await finish(integrations, record, { dueAt: NOW + 300_000 })
    assert.deepEqual(scheduleOf(await integrations.get(integration)), { dueAt: NOW, rank: 0 })
    await finish(integrations, await taken(integrations, integration), { dueAt: NOW + 300_000 })
    assert.deepEqual(scheduleOf(await integrations.get(integration)), { dueAt: NOW + 300_000, rank: 1 })
  }),

  checkAdded(
    'makes an integration due after a hint, but not before the end of a pause',
    async (context, integrations) => {
      const { integration } = context
      await finish(integrations, await taken(integrations, integration), { dueAt: NOW + 300_000 })
      await storeHint(context, 'note_1', { generation: 'first' }, NOW + 5)
      assert.deepEqual(scheduleOf(await integrations.get(integration)), { dueAt: NOW + 5, rank: 0 })
      const paused = { dueAt: NOW + 900, pausedUntil: NOW + 600 }
      await finish(integrations, await taken(integrations, integration, NOW + 5), paused)
      await storeHint(context, 'note_2', { generation: 'first' }, NOW + 6)
      assert.deepEqual(scheduleOf(await integrations.get(integration)), { dueAt: NOW + 600, rank: 0 })
      const held = await taken(integrations, integration, NOW + 600)
      await storeHint(context, 'note_3', { generation: 'first' }, NOW + 601)
      await finish(integrations, held, paused)
      assert.equal((await integrations.get(integration))?.dueAt, NOW + 600)
    },
  ),

  checkAdded(
    'does not make an integration due for an event that makes no note due',
    async ({ store, integration }, integrations) => {
      await finish(integrations, await taken(integrations, integration), { dueAt: NOW + 300_000 })
      const commit = {
        notes: [{ state: aState('note_1'), expectedVersion: 0 }],
        heardAt: NOW,
        fence: { generation: 'first' },
      }
      assert.equal(await store.commit(integration, commit), 'committed')
      assert.equal((await integrations.get(integration))?.dueAt, NOW + 300_000)
    },
  ),

  checkAdded(
    'does not make a parked integration due, except to erase notes that hints have hidden',
    async (context, integrations) => {
      const { integration } = context
      const parked = { state: 'parked', parkedBecause: 'key_changed', dueAt: null } as const
      await finish(integrations, await taken(integrations, integration), parked)
      await integrations.wake(integration, NOW)
      assert.equal((await integrations.get(integration))?.dueAt, null)
      await storeHint(context, 'note_1', { generation: 'first' })
      assert.equal((await integrations.get(integration))?.dueAt, NOW + ERASE_WITHIN_MS)
      assert.equal(await integrations.resume(integration, NOW + 1), true)
      assert.equal(await integrations.resume(integration, NOW + 2), false)
      const { state, parkedBecause, dueAt } = (await integrations.get(integration)) ?? {}
      assert.deepEqual({ state, parkedBecause, dueAt }, { state: 'active', parkedBecause: null, dueAt: NOW + 1 })
    },
  ),

  checkAdded('keeps the next probe of a parked integration, also after a hint', async (context, integrations) => {
    const { integration } = context
    const probe = { state: 'parked', parkedBecause: 'key_refused', failures: 2 } as const
    const later = { ...probe, dueAt: NOW + 900, pausedUntil: NOW + 900 }
    await finish(integrations, await taken(integrations, integration), later)
    await storeHint(context, 'note_1', { generation: 'first' })
    const { dueAt, pausedUntil, failures } = (await integrations.get(integration)) ?? {}
    assert.deepEqual({ dueAt, pausedUntil, failures }, { dueAt: NOW + 900, pausedUntil: NOW + 900, failures: 2 })
    const held = await taken(integrations, integration, NOW + 900)
    await storeHint(context, 'note_2', { generation: 'first' }, NOW + 901)
    await finish(integrations, held, { ...probe, dueAt: NOW + 1_800, pausedUntil: NOW + 1_800 })
    assert.equal((await integrations.get(integration))?.dueAt, NOW + 1_800)
  }),

  checkAdded('ends the lease of a parked integration that is resumed', async ({ integration }, integrations) => {
    const probe = { state: 'parked', parkedBecause: 'key_refused', dueAt: NOW, pausedUntil: NOW } as const
    await finish(integrations, await taken(integrations, integration), probe)
    const probing = await taken(integrations, integration)
    assert.equal(await integrations.resume(integration, NOW + 1), true)
    const seen = { hints: probing.hints, now: NOW + 2 }
    assert.equal(await integrations.finish(integration, probing, { ...probing, dueAt: NOW + 900 }, seen), false)
    const { state, token } = await taken(integrations, integration, NOW + 1)
    assert.equal(state, 'active')
    assert.equal(token, probing.token + 2)
  }),

  checkAdded('ends the pause of an integration that is woken', async ({ integration }, integrations) => {
    const failed = { dueAt: NOW + 900, pausedUntil: NOW + 900, failures: 3 }
    await finish(integrations, await taken(integrations, integration), failed)
    await integrations.wake(integration, NOW + 1)
    const { dueAt, pausedUntil, failures } = (await integrations.get(integration)) ?? {}
    assert.deepEqual({ dueAt, pausedUntil, failures }, { dueAt: NOW + 1, pausedUntil: null, failures: 0 })
    const held = await taken(integrations, integration, NOW + 1)
    await integrations.wake(integration, NOW + 2)
    await finish(integrations, held, { dueAt: NOW + 900 })
    assert.equal((await integrations.get(integration))?.dueAt, NOW)
  }),

  checkAdded('rejects every write of a worker that lost its lease', async (context, integrations) => {
    const { store, integration } = context
    const lost = await taken(integrations, integration)
    assert.equal(await integrations.renew(integration, lost, { now: NOW, until: NOW + 2 * LEASE_MS }), true)
    assert.equal(
      await integrations.take({ now: NOW + LEASE_MS, until: NOW + 2 * LEASE_MS, most: 3, integration }),
      undefined,
    )
    const { token } = await taken(integrations, integration, NOW + 2 * LEASE_MS)
    assert.equal(token, lost.token + 1)
    const before = await integrations.get(integration)
    await expectRejected(context, lost)
    assert.deepEqual(await integrations.get(integration), before)
    const fence = { generation: 'first', token }
    assert.equal(
      await store.commit(integration, { notes: [{ state: aState('note_1'), expectedVersion: 0 }], fence }),
      'committed',
    )
  }),

  check('rejects every write for a removed copy', async (context) => {
    const { store, integration } = context
    const { integrations } = store
    assert.equal(await integrations.remove(integration, 'second', NOW), false)
    await integrations.put(integration, 'first', NOW)
    const lost = await taken(integrations, integration)
    const content = { note: aNote('note_1') }
    const notes = [{ state: aLiveState('note_1'), expectedVersion: 0, content, announce: 'appeared' } as const]
    assert.equal(await store.commit(integration, { notes, fence: lost }), 'committed')
    assert.equal(await integrations.remove(integration, 'second', NOW), true)
    await expectRejected(context, lost)
    await expectRejected(context, { generation: 'first', token: lost.token + 1 })
    await erase(integrations, integration)
    await expectRejected(context, lost)
    await integrations.put(integration, 'third', NOW)
    await expectRejected(context, lost)
    await expectCommitsRejected(context, { generation: 'second' })
    await expectCommitsRejected(context, { generation: 'first' })
  }),

  check(
    'erases a removed integration in batches, and does not change others',
    async ({ store, integration, write }) => {
      const { integrations } = store
      const other = `other-${integration}`
      const notes = Array.from({ length: 5 }, (_, index) => ({
        state: aLiveState(`note_${index}`),
        content: { note: aNote(`note_${index}`) },
        announce: 'appeared' as const,
      }))
      await write(...notes)
      await store.commit(other, { notes: notes.map((note) => ({ ...note, expectedVersion: 0 })) })
      const kept = { since: 1, attempts: 0, dueAt: null, parkedAt: null, error: null }
      const read = { state: { ...NEW_CONSUMER, cursor: 3 }, notes: new Map([['note_1', kept]]), forgetsApplied: false }
      for (const name of [integration, other]) {
        assert.equal(await store.commitConsumer(name, 'index', { ...read, expectedVersion: 0, token: 1 }), 'committed')
      }
      for (const name of [integration, other]) await integrations.put(name, 'first', NOW)
      assert.equal(await integrations.erase(integration, await taken(integrations, integration), 2), 'fenced')
      await integrations.remove(integration, 'second', NOW)
      const record = await taken(integrations, integration)
      assert.equal(await integrations.erase(integration, record, 2), 'more')
      assert.equal((await store.listNotes(integration, '', 10)).length, 3)
      await erase(integrations, integration, NOW + LEASE_MS)
      assert.equal(await integrations.get(integration), undefined)
      assert.deepEqual(await integrations.listConsumers(integration), [])
      assert.deepEqual(await store.listNotes(integration, '', 10), [])
      assert.deepEqual(await store.search(integration, ['stand-up'], 10), [])
      assert.equal((await store.readProgress(integration)).progressVersion, 0)
      assert.equal(await store.latestPosition(integration), 0)
      assert.equal((await store.readConsumer(integration, 'index')).version, 0)
      assert.equal((await store.readConsumer(other, 'index')).version, 1)
      assert.equal((await store.listNotes(other, '', 10)).length, 5)
      assert.equal((await store.count(other)).live, 5)
      assert.equal((await integrations.get(other))?.generation, 'first')
    },
  ),

  check('starts another copy of an integration whose removals wait for consumers', async ({ store, integration }) => {
    const { integrations } = store
    await integrations.put(integration, 'first', NOW)
    assert.deepEqual(await integrations.listConsumers(integration), [])
    for (const name of ['vectors', 'index']) {
      const commit = { state: NEW_CONSUMER, notes: new Map(), forgetsApplied: false, expectedVersion: 0, token: 1 }
      assert.equal(await store.commitConsumer(integration, name, commit), 'committed')
    }
    assert.deepEqual(await integrations.listConsumers(integration), ['index', 'vectors'])
    assert.deepEqual(await integrations.listConsumers(`other-${integration}`), [])
    await integrations.remove(integration, 'second', NOW)
    assert.equal((await integrations.put(integration, 'third', NOW)).state, 'removing')
    const record = await taken(integrations, integration)
    await finish(integrations, record, { state: 'removing', dueAt: NOW + 5, pausedUntil: NOW + LEASE_MS })
    const { generation, state, dueAt, pausedUntil } = await integrations.put(integration, 'third', NOW + 1)
    assert.deepEqual(
      { generation, state, dueAt, pausedUntil },
      { generation: 'third', state: 'active', dueAt: NOW + 1, pausedUntil: null },
    )
    assert.equal((await store.readConsumer(integration, 'index')).version, 1)
    await remove(integrations, integration)
  }),

  check('lets only one integration use a key', async ({ store: { integrations }, integration }) => {
    const other = `other-${integration}`
    for (const name of [integration, other]) await integrations.put(name, 'first', NOW)
    const [one, two] = [await taken(integrations, integration), await taken(integrations, other)]
    const print = `https://notes.example key ${integration}`
    assert.equal(await integrations.claimKey(integration, one, print), 'claimed')
    assert.equal(await integrations.claimKey(integration, one, print), 'claimed')
    await finish(integrations, one, { dueAt: NOW })
    assert.equal((await integrations.get(integration))?.keyPrint, print)
    assert.equal(await integrations.claimKey(other, two, print), 'shared')
    assert.equal((await integrations.get(other))?.keyPrint, null)
    await integrations.remove(integration, 'second', NOW)
    assert.equal(await integrations.claimKey(other, two, print), 'claimed')
  }),

  check('lists integrations by id and state, and counts them', async ({ store, integration }) => {
    const { integrations } = store
    const before = await integrations.count(NOW)
    const names = ['a', 'b', 'c', 'd'].map((name) => `${integration}${name}`)
    const [a = '', b = '', c = '', d = ''] = names
    for (const name of names) await integrations.put(name, 'first', NOW)
    await finish(integrations, await taken(integrations, b), {
      state: 'parked',
      parkedBecause: 'key_shared',
      dueAt: null,
    })
    await finish(integrations, await taken(integrations, c), { dueAt: NOW + 1, failures: 2 })
    await integrations.remove(d, 'second', NOW)
    for (const name of [a, `${integration} not added`]) {
      await store.load(name, ['note_1'])
      const state = aLiveState('note_1', { contradictedSince: NOW })
      await store.commit(name, { notes: [{ state, expectedVersion: 0 }] })
    }
    const listed = async (request: Partial<Parameters<IntegrationStore['list']>[0]>) =>
      (await integrations.list({ after: integration, limit: 10, ...request }))
        .map(({ record }) => record.integration)
        .filter((name) => names.includes(name))
    assert.deepEqual(await listed({}), names)
    assert.deepEqual(await listed({ after: a, limit: 2 }), [b, c])
    assert.deepEqual(await listed({ state: 'active' }), [a, c])
    assert.deepEqual(await listed({ state: 'parked' }), [b])
    const after = await integrations.count(NOW)
    assert.equal(after.active - before.active, 2)
    assert.equal(after.removing - before.removing, 1)
    assert.equal(after.parked.key_shared - before.parked.key_shared, 1)
    assert.equal(after.due - before.due, 2)
    assert.equal(after.backingOff - before.backingOff, 1)
    assert.equal(after.contradictions - before.contradictions, 1)
    assert.equal((after.dueSince ?? 0) <= NOW, true)
    assert.equal((after.nextAt ?? 0) > NOW, true)
    for (const name of names) await remove(integrations, name)
  }),

  check('counts and lists held removals until they end', async ({ store, integration }) => {
    const { integrations } = store
    const [one, other] = [`${integration} 1`, `${integration} 2`]
    for (const name of [one, other]) await integrations.put(name, 'first', NOW)
    const before = await integrations.count(NOW)
    const hold = async (noteId: string, expectedVersion: number, scan: string | null, presence: 'hidden' | 'live') => {
      const state = aLiveState(noteId, { presence, heldByScan: scan })
      await store.commit(other, { notes: [{ state, expectedVersion }] })
    }
    await store.load(other, ['note_1', 'note_2'])
    await hold('note_1', 0, 'scan_1', 'hidden')
    await hold('note_2', 0, 'scan_2', 'hidden')
    const held = async (hasHeldRemovals?: boolean) =>
      (await integrations.list({ after: integration, limit: 10, hasHeldRemovals }))
        .filter(({ record }) => record.integration.startsWith(integration))
        .map(({ record, heldRemovals }) => [record.integration, heldRemovals])
    assert.deepEqual(await held(), [
      [one, 0],
      [other, 2],
    ])
    assert.deepEqual(await held(true), [[other, 2]])
    assert.equal((await integrations.count(NOW)).heldRemovals - before.heldRemovals, 1)
    await hold('note_1', 1, null, 'live')
    assert.deepEqual(await held(true), [[other, 1]])
    await hold('note_2', 1, null, 'live')
    assert.deepEqual(await held(true), [])
    assert.equal((await integrations.count(NOW)).heldRemovals, before.heldRemovals)
    for (const name of [one, other]) await remove(integrations, name)
  }),
]

/** Makes a check with an integration that was added. */
function checkAdded(name: string, body: (context: CheckContext, integrations: IntegrationStore) => Promise<void>) {
  return check(name, async (context) => {
    const { integrations } = context.store
    await integrations.put(context.integration, 'first', NOW)
    await body(context, integrations)
  })
}

async function taken(integrations: IntegrationStore, integration: string, now = NOW): Promise<IntegrationRecord> {
  const taken = await integrations.take({ now, until: now + LEASE_MS, most: 3, integration })
  assert.ok(taken)
  return taken.record
}

async function finish(
  integrations: IntegrationStore,
  record: IntegrationRecord,
  next: Partial<NextWork>,
): Promise<void> {
  const { hints, integration } = record
  const work = { ...record, rank: 1, failures: 0, pausedUntil: null, ...next }
  assert.equal(await integrations.finish(integration, record, work, { hints, now: NOW }), true)
}

async function erase(integrations: IntegrationStore, integration: string, now = NOW): Promise<void> {
  const record = await taken(integrations, integration, now)
  while ((await integrations.erase(integration, record, 2)) === 'more');
}

async function remove(integrations: IntegrationStore, integration: string): Promise<void> {
  await integrations.remove(integration, 'removed', NOW)
  await erase(integrations, integration)
}

function scheduleOf(record: IntegrationRecord | undefined) {
  return { dueAt: record?.dueAt, rank: record?.rank }
}

async function storeHint({ store, integration }: CheckContext, noteId: string, fence: Fence, at = NOW): Promise<void> {
  const notes = [{ state: aState(noteId, { dirty: 1, dueAt: at }), expectedVersion: 0 }]
  assert.equal(await store.commit(integration, { notes, heardAt: at, fence }), 'committed')
}

/** Expects that every write of a worker is rejected. */
async function expectRejected(context: CheckContext, { generation, token }: Fence): Promise<void> {
  const { integrations } = context.store
  const { integration } = context
  const fence = { generation, token }
  await expectCommitsRejected(context, fence)
  assert.equal(await integrations.finish(integration, fence, NOTHING, { hints: 0, now: NOW }), false)
  assert.equal(await integrations.renew(integration, fence, { now: NOW, until: NOW }), false)
  assert.equal(await integrations.claimKey(integration, fence, 'late'), 'fenced')
  assert.equal(await integrations.erase(integration, fence, 10), 'fenced')
}

async function expectCommitsRejected({ store, integration }: CheckContext, fence: Fence): Promise<void> {
  const before = [await store.latestPosition(integration), await store.count(integration)]
  const content = { note: aNote('late') }
  const state = aLiveState('late', { dueAt: NOW })
  const notes = [{ state, expectedVersion: 0, content, announce: 'appeared' } as const]
  assert.equal(await store.commit(integration, { notes, fence }), 'fenced')
  assert.equal(await store.commit(integration, { notes, fence, heardAt: NOW }), 'fenced')
  assert.equal(await store.commit(integration, { notes: [], fence, heardAt: NOW }), 'fenced')
  assert.equal(await store.getNote(integration, 'late'), undefined)
  assert.deepEqual([await store.latestPosition(integration), await store.count(integration)], before)
}

const NOTHING: NextWork = {
  state: 'active',
  parkedBecause: null,
  dueAt: NOW,
  rank: 1,
  failures: 0,
  pausedUntil: null,
  pollEveryMs: null,
  endpoint: null,
}
