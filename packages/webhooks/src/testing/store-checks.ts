import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { gateChecks } from './gate-checks.ts'
import { keyChecks } from './key-checks.ts'
import { check, type StoreCheck } from './store-check-builder.ts'
import { keepingChecks, leaseChecks } from './time-checks.ts'

/**
 * The checks that every store must pass: run each against your store, in any test runner. They need Node's `assert`, and use only the
 * clock of the store.
 *
 * @example
 * ```ts
 * import { it } from 'vitest'
 * import { memoryStore } from '@notewire/webhooks'
 * import { storeChecks } from '@notewire/webhooks/testing'
 *
 * for (const { name, run } of storeChecks) it(name, () => run(memoryStore()))
 * ```
 */
export const storeChecks: readonly StoreCheck[] = [
  check('answers busy while an event is claimed, and duplicate after its commit', async (stage) => {
    const claim = await stage.claim({ eventId: 'one' })
    await stage.expect('busy', { eventId: 'one' })
    assert.equal(await stage.store.commit(claim), 'committed')
    await stage.expect('duplicate', { eventId: 'one' })
  }),

  check('can claim an event again after a release', async (stage) => {
    await stage.store.release(await stage.claim({ eventId: 'one' }))
    await stage.claim({ eventId: 'one' })
  }),

  check('grants one claim of a note at a time, and claims of other notes concurrently', async (stage) => {
    const claim = await stage.claim({ noteId: 'shared', revision: 1 })
    await stage.expect('busy', { noteId: 'shared', revision: 2 })
    await stage.claim({ noteId: 'other', revision: 1 })
    await stage.store.commit(claim)
    await stage.claim({ noteId: 'shared', revision: 2 })
  }),

  check('grants concurrent claims of events without a note', async (stage) => {
    await stage.claim({ eventId: 'one', note: undefined })
    await stage.claim({ eventId: 'two', note: undefined })
    await stage.expect('busy', { eventId: 'one', note: undefined })
  }),

  check('claims the note of an event without a revision, and does not raise the revision', async (stage) => {
    await stage.apply({ revision: 5 })
    const claim = await stage.claim({ note: { noteId: 'note_1' } })
    await stage.expect('busy', { revision: 6 })
    await stage.store.commit(claim)
    await stage.expect('stale', { revision: 5 })
    await stage.claim({ revision: 6 })
  }),

  check('answers duplicate rather than stale, and stale rather than busy', async (stage) => {
    await stage.apply({ eventId: 'old', revision: 4 })
    await stage.claim({ eventId: 'running', revision: 6 })
    await stage.expect('duplicate', { eventId: 'old', revision: 4 })
    await stage.expect('stale', { eventId: 'late', revision: 3 })
    await stage.expect('busy', { eventId: 'next', revision: 5 })
  }),

  check('returns with a claim what was applied at a higher revision than the event had', async (stage) => {
    const claim = await stage.claim({ revision: 4 })
    assert.equal(claim.applied, undefined)
    assert.equal(
      await stage.store.commit({ ...claim, request: stage.request({ ...claim.request, note: AT_7 }) }),
      'committed',
    )
    assert.equal((await stage.claim({ revision: 8 })).applied?.revision, 7)
  }),

  ...keyChecks,
  ...leaseChecks,

  check('never lowers a revision, and answers stale with it', async (stage) => {
    await stage.apply({ revision: 9, gate: 'off' })
    await stage.apply({ revision: 2, gate: 'off' })
    const result = await stage.store.claim(stage.request({ revision: 9 }))
    assert.deepEqual(result, { status: 'stale', appliedRevision: 9 })
  }),

  check('claims a forgotten event again, and keeps the revision of its note', async (stage) => {
    const { store, request } = stage
    const { integration } = request()
    await stage.apply({ eventId: 'one', revision: 4 })
    await stage.apply({ eventId: 'two', revision: 5 })
    assert.equal(await store.forget(integration, 'never seen'), 'unknown')
    assert.equal(await store.forget(integration, 'one'), 'forgotten')
    assert.equal(await store.forget(integration, 'one'), 'unknown')
    await stage.apply({ eventId: 'one', revision: 4 })
    await stage.expect('duplicate', { eventId: 'one', revision: 4 })
    assert.deepEqual(await store.claim(request({ revision: 5 })), { status: 'stale', appliedRevision: 5 })
  }),

  ...['released', 'expired'].map((end) =>
    check(`claims a forgotten event again after a claim that was renewed and ${end}`, async (stage) => {
      const replay = { eventId: 'one', revision: 4 }
      await stage.apply(replay)
      await stage.apply({ eventId: 'two', revision: 5 })
      await stage.store.forget(stage.request().integration, 'one')
      const claim = await stage.claim(replay)
      assert.equal(await stage.store.renew(claim, end === 'expired' ? 30 : 60_000), 'renewed')
      if (end === 'expired') await sleep(120)
      else await stage.store.release(claim)
      await stage.apply(replay)
      await stage.expect('duplicate', replay)
    }),
  ),

  ...[{}, { note: undefined }].map((of) =>
    check(`ends a claim ${withNote(of)} once, by a commit or a release`, async (stage) => {
      const committed = await stage.claim({ eventId: 'committed', ...of })
      assert.equal(await stage.store.commit(committed), 'committed')
      await stage.expectLost(committed)
      await stage.expect('duplicate', { eventId: 'committed', ...of })
      const released = await stage.claim({ eventId: 'released', gate: 'off', ...of })
      await stage.store.release(released)
      await stage.expectLost(released)
      await stage.claim({ eventId: 'released', gate: 'off', ...of })
    }),
  ),

  ...[{}, { note: undefined }].map((of) =>
    check(`grants one of many concurrent claims of an event ${withNote(of)}`, async ({ store, request }) => {
      const claims = Array.from({ length: 50 }, () => store.claim(request({ eventId: 'one', ...of })))
      const statuses = (await Promise.all(claims)).map(({ status }) => status)
      assert.deepEqual(statuses.toSorted(), [...Array<string>(49).fill('busy'), 'claimed'])
    }),
  ),

  check('grants one of many concurrent claims of a note', async ({ store, request }) => {
    const claims = Array.from({ length: 50 }, (_, index) => store.claim(request({ revision: index + 1 })))
    assert.equal((await Promise.all(claims)).filter(({ status }) => status === 'claimed').length, 1)
  }),

  ...keepingChecks,
  ...gateChecks,
]

function withNote(of: { readonly note?: undefined }): string {
  return 'note' in of ? 'without a note' : 'with a note'
}

const AT_7 = { noteId: 'note_1', change: { kind: 'note.updated', revision: 7 } } as const
