import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { check, type Stage, type StoreCheck } from './store-check-builder.ts'

/** How a lease ends, is renewed and is taken over. */
export const leaseChecks: readonly StoreCheck[] = [
  check('grants an event with an expired lease to another worker, with a higher fencing token', async (stage) => {
    const late = await stage.claim({ eventId: 'one', leaseMs: 30 })
    await sleep(120)
    const next = await stage.claim({ eventId: 'one' })
    assertHigher(next.fencingToken, late.fencingToken)
    await stage.expectLost(late)
    await stage.expect('busy', { eventId: 'one' })
    assert.equal(await stage.store.commit(next), 'committed')
  }),

  check('rejects the commit of a worker whose note was claimed for another event', async (stage) => {
    const late = await stage.claim({ eventId: 'one', revision: 1, leaseMs: 30 })
    await sleep(120)
    const next = await stage.claim({ eventId: 'two', revision: 2 })
    assert.equal(await stage.store.commit(late), 'lost')
    assert.equal(await stage.store.commit(next), 'committed')
    await stage.expect('stale', { eventId: 'one', revision: 1 })
  }),

  // To a claim with a short lease, a long lease looks like one that was written before the clock was set back.
  check('grants an event whose lease ends more than twice its length ahead', async (stage) => {
    for (const noteId of ['note_1', 'note_2']) {
      const early = await stage.claim({ eventId: noteId, noteId, leaseMs: 3_600_000 })
      // The second note is claimed for another event.
      const other = { eventId: noteId === 'note_1' ? noteId : 'other', noteId, leaseMs: 20_000 }
      const next = await stage.claim(other)
      assertHigher(next.fencingToken, early.fencingToken)
      await stage.expect('busy', other)
      await stage.expectLost(early)
      assert.equal(await stage.store.commit(next), 'committed')
    }
  }),

  check('renews a lease', async (stage) => {
    const claim = await stage.claim({ eventId: 'one', leaseMs: 250 })
    assert.equal(await stage.store.renew(claim, 60_000), 'renewed')
    await sleep(350)
    await stage.expect('busy', { eventId: 'one' })
    assert.equal(await stage.store.commit(claim), 'committed')
  }),

  check('renews a lease from now, not from its end', async (stage) => {
    const claim = await stage.claim({ eventId: 'one', leaseMs: 300 })
    assert.equal(await stage.store.renew(claim, 300), 'renewed')
    await sleep(450)
    await stage.claim({ eventId: 'one' })
  }),
]

/** How long records are kept: what is done before they are pruned, and then the status of claims. */
export const keepingChecks: readonly StoreCheck[] = [
  afterPruning(
    'prunes expired records only',
    async (stage) => {
      await stage.apply({ eventId: 'old', noteId: 'old', revision: 5, keepMs: 30 })
      await stage.apply({ eventId: 'young', noteId: 'young', revision: 5 })
    },
    ['claimed', { eventId: 'old', noteId: 'old', revision: 5 }],
    ['duplicate', { eventId: 'young', noteId: 'young' }],
    ['stale', { noteId: 'young', revision: 5 }],
  ),
  afterPruning(
    'keeps a revision as long as the latest event of its note',
    async (stage) => {
      await stage.apply({ revision: 5, keepMs: 30 })
      await stage.apply({ revision: 6 })
    },
    ['stale', { revision: 6 }],
  ),
  afterPruning(
    'keeps a revision when a later event of its note has a shorter keepMs',
    async (stage) => {
      await stage.apply({ revision: 5 })
      await stage.apply({ revision: 6, keepMs: 30 })
    },
    ['stale', { revision: 6 }],
  ),
  afterPruning(
    'keeps a revision while an event of its note with a shorter keepMs is claimed',
    async (stage) => {
      await stage.apply({ revision: 5 })
      await stage.store.renew(await stage.claim({ revision: 6, leaseMs: 30, keepMs: 30 }), 30)
    },
    ['stale', { revision: 5 }],
  ),
  afterPruning(
    'keeps a processed event when its replay has a shorter keepMs',
    async (stage) => {
      await stage.apply({ eventId: 'one' })
      await stage.store.forget(stage.request().integration, 'one')
      await stage.apply({ eventId: 'one', keepMs: 30 })
    },
    ['duplicate', { eventId: 'one' }],
  ),
]

function afterPruning(
  name: string,
  before: (stage: Stage) => Promise<void>,
  ...after: readonly Parameters<Stage['expect']>[]
): StoreCheck {
  return check(name, async (stage) => {
    await before(stage)
    await sleep(120)
    await stage.store.prune()
    for (const expected of after) await stage.expect(...expected)
  })
}

function assertHigher(token: string, earlier: string): void {
  assert.ok(BigInt(token) > BigInt(earlier), 'the token must grow')
}
