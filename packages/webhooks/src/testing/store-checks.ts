import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_IDENTIFIER_LENGTH } from '@notewire/protocol'
import { gateChecks } from './gate-checks.ts'
import { answer, apply, check, claimed, type StoreCheck } from './store-check-builder.ts'

/**
 * The checks that every store must pass: run each against your store, in any test runner. They need Node's `assert`, and use only the
 * clock of the store.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * import { memoryStore } from '@notewire/webhooks'
 * import { storeChecks } from '@notewire/webhooks/testing'
 *
 * describe('my store', () => {
 *   for (const { name, run } of storeChecks) it(name, () => run(memoryStore()))
 * })
 * ```
 */
export const storeChecks: readonly StoreCheck[] = [
  check('claims a new event', async (store, request) => {
    await claimed(store, request())
  }),

  check('answers busy while an event is claimed, and duplicate after its commit', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one' }))
    assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
    assert.equal(await store.commit(claim), 'committed')
    assert.equal(await answer(store, request({ eventId: 'one' })), 'duplicate')
  }),

  check('can claim an event again after a release', async (store, request) => {
    await store.release(await claimed(store, request({ eventId: 'one' })))
    await claimed(store, request({ eventId: 'one' }))
  }),

  check('grants one claim of a note at a time, and claims of other notes concurrently', async (store, request) => {
    const claim = await claimed(store, request({ noteId: 'shared', revision: 1 }))
    assert.equal(await answer(store, request({ noteId: 'shared', revision: 2 })), 'busy')
    await claimed(store, request({ noteId: 'other', revision: 1 }))
    await store.commit(claim)
    await claimed(store, request({ noteId: 'shared', revision: 2 }))
  }),

  check('grants concurrent claims of events without a note', async (store, request) => {
    await claimed(store, { ...request({ eventId: 'one' }), note: undefined })
    await claimed(store, { ...request({ eventId: 'two' }), note: undefined })
    assert.equal(await answer(store, { ...request({ eventId: 'one' }), note: undefined }), 'busy')
  }),

  check('claims the note of an event without a revision, and does not raise the revision', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    const unjudged = { ...request(), note: { noteId: 'note_1' } }
    const claim = await claimed(store, unjudged)
    assert.equal(await answer(store, request({ revision: 6 })), 'busy')
    await store.commit(claim)
    assert.equal(await answer(store, request({ revision: 5 })), 'stale')
    await claimed(store, request({ revision: 6 }))
  }),

  check('answers duplicate rather than stale, and stale rather than busy', async (store, request) => {
    await apply(store, request({ eventId: 'old', revision: 4 }))
    await claimed(store, request({ eventId: 'running', revision: 6 }))
    assert.equal(await answer(store, request({ eventId: 'old', revision: 4 })), 'duplicate')
    assert.equal(await answer(store, request({ eventId: 'late', revision: 3 })), 'stale')
    assert.equal(await answer(store, request({ eventId: 'next', revision: 5 })), 'busy')
  }),

  check('answers stale with the applied revision', async (store, request) => {
    await apply(store, request({ revision: 9 }))
    assert.deepEqual(await store.claim(request({ revision: 8 })), { status: 'stale', appliedRevision: 9 })
  }),

  check('returns with a claim what was applied to its note', async (store, request) => {
    assert.equal((await claimed(store, request({ eventId: 'first', noteId: 'new' }))).applied, undefined)
    await apply(store, request({ revision: 4 }))
    const { applied } = await claimed(store, request({ revision: 6 }))
    assert.equal(applied?.revision, 4)
    assert.equal(applied.deleted, false)
    assert.deepEqual(applied.seen, ['note.updated'])
  }),

  check('returns with a claim what was applied at a higher revision than the event had', async (store, request) => {
    const claim = await claimed(store, request({ revision: 4 }))
    const note = { noteId: 'note_1', change: { kind: 'note.updated', revision: 7 } } as const
    assert.equal(await store.commit({ ...claim, request: { ...claim.request, note } }), 'committed')
    assert.equal((await claimed(store, request({ revision: 8 }))).applied?.revision, 7)
  }),

  check('returns with a claim that its note was deleted, and when', async (store, request) => {
    const deletion = { kind: 'note.deleted', occurredAt: 1_767_258_000_000 } as const
    await apply(store, request({ revision: 4 }))
    await apply(store, { ...request(), note: { noteId: 'note_1', change: deletion } })
    const next = request({ revision: 6, gate: 'off' })
    const { applied } = await claimed(store, next)
    assert.equal(applied?.revision, 4)
    assert.equal(applied.deleted, true)
    assert.equal(applied.deletedAtAnyRevision, true)
    assert.equal(applied.deletedAt, deletion.occurredAt)
  }),

  check('isolates integrations', async (store, request) => {
    const elsewhere = { ...request({ eventId: 'one', revision: 3 }), integration: `other-${crypto.randomUUID()}` }
    await apply(store, request({ eventId: 'one', revision: 7 }))
    const claim = await claimed(store, elsewhere)
    await claimed(store, request({ eventId: 'two', revision: 8 }))
    assert.equal(await store.commit(claim), 'committed')
  }),

  check('grants concurrent claims of the same ids in many integrations', async (store, request) => {
    const base = request({ eventId: 'one', noteId: 'shared', revision: 7 })
    const all = Array.from({ length: 50 }, (_, index) => ({ ...base, integration: `${base.integration}.${index}` }))
    const claims = await Promise.all(all.map((each) => claimed(store, each)))
    const committed = await Promise.all(claims.map((claim) => store.commit(claim)))
    assert.deepEqual(new Set(committed), new Set(['committed']))
    for (const each of all) assert.equal(await answer(store, each), 'duplicate')
    assert.equal(await answer(store, base), 'claimed')
  }),

  check('accepts integrations with the names of inherited properties', async (store, request) => {
    // All runs of this check share these integrations, so each run uses its own event and note.
    for (const integration of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const each = { ...request({ noteId: `note_${crypto.randomUUID()}`, revision: 3 }), integration }
      await apply(store, each)
      assert.equal(await answer(store, each), 'duplicate')
      assert.equal(await store.forget(integration, each.eventId), 'forgotten')
    }
  }),

  check('forgets an event in one integration only', async (store, request) => {
    const one = request({ eventId: 'one' })
    await apply(store, one)
    assert.equal(await store.forget(`other-${one.integration}`, 'one'), 'unknown')
    assert.equal(await answer(store, one), 'duplicate')
  }),

  check('distinguishes integrations and event ids whose concatenations are equal', async (store, request) => {
    const base = { ...request(), note: undefined }
    for (const separator of ['', '.', '_', '~', '-']) {
      await apply(store, { ...base, integration: `${base.integration}${separator}a`, eventId: `b${separator}c` })
      await claimed(store, { ...base, eventId: `a${separator}b${separator}c` })
    }
  }),

  check(
    'grants an event with an expired lease to another worker, with a higher fencing token',
    async (store, request) => {
      const late = await claimed(store, request({ eventId: 'one', leaseMs: 30 }))
      await sleep(120)
      const next = await claimed(store, request({ eventId: 'one' }))
      assert.ok(BigInt(next.fencingToken) > BigInt(late.fencingToken), 'the token must grow')
      assert.equal(await store.renew(late, 10_000), 'lost')
      assert.equal(await store.commit(late), 'lost')
      await store.release(late)
      assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
      assert.equal(await store.commit(next), 'committed')
    },
  ),

  check('rejects the commit of a worker whose note was claimed for another event', async (store, request) => {
    const late = await claimed(store, request({ eventId: 'one', revision: 1, leaseMs: 30 }))
    await sleep(120)
    const next = await claimed(store, request({ eventId: 'two', revision: 2 }))
    assert.equal(await store.commit(late), 'lost')
    assert.equal(await store.commit(next), 'committed')
    assert.equal(await answer(store, request({ eventId: 'one', revision: 1 })), 'stale')
  }),

  // To a claim with a short lease, a long lease looks like one that was written before the clock was set back.
  check('grants an event whose lease ends more than twice its length ahead', async (store, request) => {
    for (const noteId of ['note_1', 'note_2']) {
      const early = await claimed(store, request({ eventId: noteId, noteId, leaseMs: 3_600_000 }))
      // The second note is claimed for another event.
      const eventId = noteId === 'note_1' ? noteId : 'other'
      const next = await claimed(store, request({ eventId, noteId, leaseMs: 20_000 }))
      assert.ok(BigInt(next.fencingToken) > BigInt(early.fencingToken), 'the token must grow')
      assert.equal(await answer(store, request({ eventId, noteId, leaseMs: 20_000 })), 'busy')
      assert.equal(await store.renew(early, 20_000), 'lost')
      assert.equal(await store.commit(early), 'lost')
      assert.equal(await store.commit(next), 'committed')
    }
  }),

  check('renews a lease', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one', leaseMs: 250 }))
    assert.equal(await store.renew(claim, 60_000), 'renewed')
    await sleep(350)
    assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
    assert.equal(await store.commit(claim), 'committed')
  }),

  check('renews a lease from now, not from its end', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one', leaseMs: 300 }))
    assert.equal(await store.renew(claim, 300), 'renewed')
    await sleep(450)
    await claimed(store, request({ eventId: 'one' }))
  }),

  check('never lowers a revision', async (store, request) => {
    await apply(store, request({ revision: 9, gate: 'off' }))
    await apply(store, request({ revision: 2, gate: 'off' }))
    assert.deepEqual(await store.claim(request({ revision: 9 })), { status: 'stale', appliedRevision: 9 })
  }),

  check('claims a forgotten event again, and keeps the revision of its note', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one', revision: 4 }))
    await apply(store, request({ eventId: 'two', revision: 5 }))
    assert.equal(await store.forget(integration, 'never seen'), 'unknown')
    assert.equal(await store.forget(integration, 'one'), 'forgotten')
    assert.equal(await store.forget(integration, 'one'), 'unknown')
    await apply(store, request({ eventId: 'one', revision: 4 }))
    assert.equal(await answer(store, request({ eventId: 'one', revision: 4 })), 'duplicate')
    assert.deepEqual(await store.claim(request({ revision: 5 })), { status: 'stale', appliedRevision: 5 })
  }),

  ...[true, false].map((hasNote) =>
    check(
      `ends a claim ${hasNote ? 'with' : 'without'} a note once, by a commit or a release`,
      async (store, request) => {
        const of = (eventId: string) => ({ ...request({ eventId }), ...(hasNote ? {} : { note: undefined }) })
        const committed = await claimed(store, of('committed'))
        assert.equal(await store.commit(committed), 'committed')
        assert.equal(await store.commit(committed), 'lost')
        assert.equal(await store.renew(committed, 60_000), 'lost')
        await store.release(committed)
        assert.equal(await answer(store, of('committed')), 'duplicate')
        const released = await claimed(store, { ...of('released'), gate: 'off' })
        await store.release(released)
        assert.equal(await store.commit(released), 'lost')
        assert.equal(await store.renew(released, 60_000), 'lost')
        await claimed(store, { ...of('released'), gate: 'off' })
      },
    ),
  ),

  check('prunes expired records only', async (store, request) => {
    await apply(store, request({ eventId: 'old', noteId: 'old', revision: 5, keepMs: 30 }))
    await apply(store, request({ eventId: 'young', noteId: 'young', revision: 5 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ eventId: 'old', noteId: 'old', revision: 5 })), 'claimed')
    assert.equal(await answer(store, request({ eventId: 'young', noteId: 'young' })), 'duplicate')
    assert.equal(await answer(store, request({ noteId: 'young', revision: 5 })), 'stale')
  }),

  check('keeps a revision as long as the latest event of its note', async (store, request) => {
    await apply(store, request({ revision: 5, keepMs: 30 }))
    await apply(store, request({ revision: 6 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ revision: 6 })), 'stale')
  }),

  check('keeps a revision when a later event of its note has a shorter keepMs', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    await apply(store, request({ revision: 6, keepMs: 30 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ revision: 6 })), 'stale')
  }),

  check('keeps a revision while an event of its note with a shorter keepMs is claimed', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    const claim = await claimed(store, request({ revision: 6, leaseMs: 30, keepMs: 30 }))
    await store.renew(claim, 30)
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ revision: 5 })), 'stale')
  }),

  check('keeps a processed event when its replay has a shorter keepMs', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one' }))
    await store.forget(integration, 'one')
    await apply(store, request({ eventId: 'one', keepMs: 30 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ eventId: 'one' })), 'duplicate')
  }),

  check('claims a forgotten event again after a claim that was renewed and released', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one', revision: 4 }))
    await apply(store, request({ eventId: 'two', revision: 5 }))
    await store.forget(integration, 'one')
    const claim = await claimed(store, request({ eventId: 'one', revision: 4 }))
    assert.equal(await store.renew(claim, 60_000), 'renewed')
    await store.release(claim)
    await apply(store, request({ eventId: 'one', revision: 4 }))
  }),

  check('claims a forgotten event again after a claim that was renewed and expired', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one', revision: 4 }))
    await apply(store, request({ eventId: 'two', revision: 5 }))
    await store.forget(integration, 'one')
    const claim = await claimed(store, request({ eventId: 'one', revision: 4 }))
    assert.equal(await store.renew(claim, 30), 'renewed')
    await sleep(120)
    await apply(store, request({ eventId: 'one', revision: 4 }))
    assert.equal(await answer(store, request({ eventId: 'one', revision: 4 })), 'duplicate')
  }),

  check('distinguishes ids of the maximum length', async (store, request) => {
    // Random, so that no store can compress them. Each UTF-16 code unit takes three bytes of UTF-8.
    const filler = (length: number) =>
      String.fromCharCode(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 0x5000)))
    const { integration: short } = request()
    const integration = short.padEnd(128, '~._-')
    const [eventId, noteId] = [filler(MAX_IDENTIFIER_LENGTH - 1), filler(MAX_IDENTIFIER_LENGTH - 1)]
    const recordingSessionId = filler(MAX_IDENTIFIER_LENGTH)
    const long = (end: string, revision: number) => ({
      ...request({ eventId: eventId + end }),
      integration,
      note: { noteId: noteId + end, change: { kind: 'note.ended' as const, revision, recordingSessionId } },
    })
    await apply(store, long('a', 7))
    await apply(store, long('b', 5))
    assert.equal(await answer(store, long('a', 7)), 'duplicate')
    assert.equal(await store.forget(integration, `${eventId}a`), 'forgotten')
    assert.equal(await answer(store, long('b', 5)), 'duplicate')
  }),

  check('distinguishes ids of any characters except NUL', async (store, request) => {
    const odd = ['\n', '\u0001', ' ', '%', '{}', "'", '\\', '\u{1F4DD}', 'e\u0301', '\u00e9', '\ufffd', '\u2028']
    for (const eventId of odd) await apply(store, request({ eventId, noteId: eventId, revision: 5 }))
    for (const eventId of odd) {
      assert.equal(await answer(store, request({ eventId, noteId: eventId, revision: 5 })), 'duplicate')
      assert.equal(await answer(store, request({ noteId: eventId, revision: 5 })), 'stale')
    }
  }),

  check('grants one of many concurrent claims of an event', async (store, request) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => answer(store, request({ eventId: 'one' }))))
    assert.equal(results.filter((result) => result === 'claimed').length, 1)
    assert.equal(results.filter((result) => result === 'busy').length, 49)
  }),

  check('grants one of many concurrent claims of a note', async (store, request) => {
    const claims = Array.from({ length: 50 }, (_, index) => answer(store, request({ revision: index + 1 })))
    assert.equal((await Promise.all(claims)).filter((result) => result === 'claimed').length, 1)
  }),

  ...gateChecks,
]
