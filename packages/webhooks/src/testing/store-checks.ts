import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_IDENTIFIER_LENGTH } from '@notewire/protocol'
import type { GateMode, NoteChange } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../interfaces/store.ts'

/** One thing that every store must do. */
export interface StoreCheck {
  readonly name: string
  /** Rejects with an `AssertionError` when the store does not. Works in an integration of its own. */
  readonly run: (store: ReceiverStore) => Promise<void>
}

/**
 * What makes a store one: run each against yours, in any test runner. They need Node's `assert`, and no clock but the
 * store's own.
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
  check('claims an event that it has never seen', async (store, request) => {
    await claimed(store, request())
  }),

  check('answers duplicate once an event is committed, and not before', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one' }))
    assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
    assert.equal(await store.commit(claim), 'committed')
    assert.equal(await answer(store, request({ eventId: 'one' })), 'duplicate')
  }),

  check('gives an event back when it is released', async (store, request) => {
    await store.release(await claimed(store, request({ eventId: 'one' })))
    await claimed(store, request({ eventId: 'one' }))
  }),

  check('lets one worker at a time process a note, and lets other notes pass', async (store, request) => {
    const claim = await claimed(store, request({ noteId: 'shared', revision: 1 }))
    assert.equal(await answer(store, request({ noteId: 'shared', revision: 2 })), 'busy')
    await claimed(store, request({ noteId: 'other', revision: 1 }))
    await store.commit(claim)
    await claimed(store, request({ noteId: 'shared', revision: 2 }))
  }),

  check('lets events without a note pass each other', async (store, request) => {
    await claimed(store, { ...request({ eventId: 'one' }), note: undefined })
    await claimed(store, { ...request({ eventId: 'two' }), note: undefined })
    assert.equal(await answer(store, { ...request({ eventId: 'one' }), note: undefined }), 'busy')
  }),

  check('claims a note for an event without revision, and raises nothing', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    const unjudged = { ...request(), note: { noteId: 'note_1' } }
    const claim = await claimed(store, unjudged)
    assert.equal(await answer(store, request({ revision: 6 })), 'busy')
    await store.commit(claim)
    assert.equal(await answer(store, request({ revision: 5 })), 'stale')
    await claimed(store, request({ revision: 6 }))
  }),

  check('looks at duplicate before stale, and at stale before busy', async (store, request) => {
    await apply(store, request({ eventId: 'old', revision: 4 }))
    await claimed(store, request({ eventId: 'running', revision: 6 }))
    assert.equal(await answer(store, request({ eventId: 'old', revision: 4 })), 'duplicate')
    assert.equal(await answer(store, request({ eventId: 'late', revision: 3 })), 'stale')
    assert.equal(await answer(store, request({ eventId: 'next', revision: 5 })), 'busy')
  }),

  check('tells what revision made an event stale', async (store, request) => {
    await apply(store, request({ revision: 9 }))
    assert.deepEqual(await store.claim(request({ revision: 8 })), { status: 'stale', appliedRevision: 9 })
  }),

  check('keeps integrations apart', async (store, request) => {
    const elsewhere = { ...request({ eventId: 'one', revision: 3 }), integration: `other-${crypto.randomUUID()}` }
    await apply(store, request({ eventId: 'one', revision: 7 }))
    const claim = await claimed(store, elsewhere)
    await claimed(store, request({ eventId: 'two', revision: 8 }))
    assert.equal(await store.commit(claim), 'committed')
  }),

  check('claims events of many integrations with the same ids at the same time', async (store, request) => {
    const base = request({ eventId: 'one', noteId: 'shared', revision: 7 })
    const all = Array.from({ length: 50 }, (_, index) => ({ ...base, integration: `${base.integration}.${index}` }))
    const claims = await Promise.all(all.map((each) => claimed(store, each)))
    const committed = await Promise.all(claims.map((claim) => store.commit(claim)))
    assert.deepEqual(new Set(committed), new Set(['committed']))
    for (const each of all) assert.equal(await answer(store, each), 'duplicate')
    assert.equal(await answer(store, base), 'claimed')
  }),

  check('holds integrations that are names of properties', async (store, request) => {
    // Shared by all runs of this check, so that its events are its own.
    for (const integration of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const each = { ...request({ noteId: `note_${crypto.randomUUID()}`, revision: 3 }), integration }
      await apply(store, each)
      assert.equal(await answer(store, each), 'duplicate')
      assert.equal(await store.forget(integration, each.eventId), 'forgotten')
    }
  }),

  check('forgets in the integration that it is told, and in no other', async (store, request) => {
    const one = request({ eventId: 'one' })
    await apply(store, one)
    assert.equal(await store.forget(`other-${one.integration}`, 'one'), 'unknown')
    assert.equal(await answer(store, one), 'duplicate')
  }),

  check('keeps apart names that only look alike when put together', async (store, request) => {
    const base = { ...request(), note: undefined }
    for (const separator of ['', '.', '_', '~', '-']) {
      await apply(store, { ...base, integration: `${base.integration}${separator}a`, eventId: `b${separator}c` })
      await claimed(store, { ...base, eventId: `a${separator}b${separator}c` })
    }
  }),

  check('has a claim taken over when its lease has run out, with a higher token', async (store, request) => {
    const late = await claimed(store, request({ eventId: 'one', leaseMs: 30 }))
    await sleep(120)
    const heir = await claimed(store, request({ eventId: 'one' }))
    assert.ok(BigInt(heir.fencingToken) > BigInt(late.fencingToken), 'the token must grow')
    assert.equal(await store.renew(late, 10_000), 'lost')
    assert.equal(await store.commit(late), 'lost')
    await store.release(late)
    assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
    assert.equal(await store.commit(heir), 'committed')
  }),

  check('fences a worker off whose note was taken over by another event', async (store, request) => {
    const late = await claimed(store, request({ eventId: 'one', revision: 1, leaseMs: 30 }))
    await sleep(120)
    const heir = await claimed(store, request({ eventId: 'two', revision: 2 }))
    assert.equal(await store.commit(late), 'lost')
    assert.equal(await store.commit(heir), 'committed')
    assert.equal(await answer(store, request({ eventId: 'one', revision: 1 })), 'stale')
  }),

  check('prolongs a lease that is renewed', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one', leaseMs: 250 }))
    assert.equal(await store.renew(claim, 60_000), 'renewed')
    await sleep(350)
    assert.equal(await answer(store, request({ eventId: 'one' })), 'busy')
    assert.equal(await store.commit(claim), 'committed')
  }),

  check('renews a lease from now, and not from its end', async (store, request) => {
    const claim = await claimed(store, request({ eventId: 'one', leaseMs: 300 }))
    assert.equal(await store.renew(claim, 300), 'renewed')
    await sleep(450)
    await claimed(store, request({ eventId: 'one' }))
  }),

  check('commits a claim once', async (store, request) => {
    const claim = await claimed(store, request())
    assert.equal(await store.commit(claim), 'committed')
    assert.equal(await store.commit(claim), 'lost')
    assert.equal(await store.renew(claim, 1_000), 'lost')
  }),

  check('never lets a revision go down', async (store, request) => {
    await apply(store, request({ revision: 9, gate: 'off' }))
    await apply(store, request({ revision: 2, gate: 'off' }))
    assert.deepEqual(await store.claim(request({ revision: 9 })), { status: 'stale', appliedRevision: 9 })
  }),

  check('lets an event pass again that was forgotten on request, and forgets no revision', async (store, request) => {
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

  ...[true, false].map((isOfNote) =>
    check(
      `ends a claim ${isOfNote ? 'of' : 'without'} a note once, by its commit or its release`,
      async (store, request) => {
        const of = (eventId: string) => ({ ...request({ eventId }), ...(isOfNote ? {} : { note: undefined }) })
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

  check('prunes what need not be kept any longer, and nothing younger', async (store, request) => {
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

  check('keeps a revision when a later event of its note asks for less time', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    await apply(store, request({ revision: 6, keepMs: 30 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ revision: 6 })), 'stale')
  }),

  check('keeps a revision while an event of its note that asks for less time is claimed', async (store, request) => {
    await apply(store, request({ revision: 5 }))
    const claim = await claimed(store, request({ revision: 6, leaseMs: 30, keepMs: 30 }))
    await store.renew(claim, 30)
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ revision: 5 })), 'stale')
  }),

  check('keeps a processed event when its replay asks for less time', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one' }))
    await store.forget(integration, 'one')
    await apply(store, request({ eventId: 'one', keepMs: 30 }))
    await sleep(120)
    await store.prune()
    assert.equal(await answer(store, request({ eventId: 'one' })), 'duplicate')
  }),

  check('lets a forgotten event pass again after a claim that was renewed and given back', async (store, request) => {
    const { integration } = request()
    await apply(store, request({ eventId: 'one', revision: 4 }))
    await apply(store, request({ eventId: 'two', revision: 5 }))
    await store.forget(integration, 'one')
    const claim = await claimed(store, request({ eventId: 'one', revision: 4 }))
    assert.equal(await store.renew(claim, 60_000), 'renewed')
    await store.release(claim)
    await apply(store, request({ eventId: 'one', revision: 4 }))
  }),

  check('lets a forgotten event pass again after a claim that was renewed and ran out', async (store, request) => {
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

  check(
    'holds identifiers and integrations as long as a receiver lets through, and tells them apart',
    async (store, request) => {
      // Random, so that no store can shorten them; three bytes of UTF-8 for each UTF-16 code unit.
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
    },
  ),

  check('holds identifiers of any characters but NUL, and tells them apart', async (store, request) => {
    const odd = ['\n', '\u0001', ' ', '%', '{}', "'", '\\', '\u{1F4DD}', 'e\u0301', '\u00e9', '\ufffd', '\u2028']
    for (const eventId of odd) await apply(store, request({ eventId, noteId: eventId, revision: 5 }))
    for (const eventId of odd) {
      assert.equal(await answer(store, request({ eventId, noteId: eventId, revision: 5 })), 'duplicate')
      assert.equal(await answer(store, request({ noteId: eventId, revision: 5 })), 'stale')
    }
  }),

  check('gives one of many simultaneous claims of an event, and no more', async (store, request) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => answer(store, request({ eventId: 'one' }))))
    assert.equal(results.filter((result) => result === 'claimed').length, 1)
    assert.equal(results.filter((result) => result === 'busy').length, 49)
  }),

  check('gives one of many simultaneous claims of a note, and no more', async (store, request) => {
    const claims = Array.from({ length: 50 }, (_, index) => answer(store, request({ revision: index + 1 })))
    assert.equal((await Promise.all(claims)).filter((result) => result === 'claimed').length, 1)
  }),

  ...gateChecks(),
]

function gateChecks(): readonly StoreCheck[] {
  const changeOf =
    (kind: NoteChange['kind']) =>
    (revision: number, occurredAt?: number): NoteChange => ({ kind, revision, occurredAt })
  const [updated, deleted] = [changeOf('note.updated'), changeOf('note.deleted')]
  const ended = (revision: number, recordingSessionId: string, occurredAt?: number): NoteChange => ({
    ...changeOf('note.ended')(revision, occurredAt),
    recordingSessionId,
  })
  const table: readonly [GateMode, readonly NoteChange[], NoteChange, 'claimed' | 'stale'][] = [
    ['strict', [updated(5)], updated(6), 'claimed'],
    ['strict', [updated(5)], updated(5), 'stale'],
    ['strict', [updated(5)], updated(4), 'stale'],
    ['strict', [updated(5)], deleted(5), 'stale'],
    ['strict', [updated(5)], ended(5, 'a'), 'stale'],
    ['strict', [deleted(5)], updated(6), 'claimed'],
    ['strict', [deleted(5, 10)], deleted(5, 20), 'stale'],
    ['strict', [deleted(5, 10)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [updated(5)], updated(6), 'claimed'],
    ['deletions-at-equal', [updated(5)], updated(5), 'stale'],
    ['deletions-at-equal', [updated(5, 10)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [updated(5)], ended(5, 'a'), 'stale'],
    ['deletions-at-equal', [updated(5)], deleted(5), 'claimed'],
    ['deletions-at-equal', [updated(5)], deleted(4), 'stale'],
    ['deletions-at-equal', [updated(5), deleted(5)], updated(5), 'stale'],
    ['deletions-at-equal', [updated(5), deleted(5)], deleted(5), 'claimed'],
    ['deletions-at-equal', [updated(5), deleted(5)], updated(6), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20)], deleted(5, 10), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20)], deleted(4, 30), 'stale'],
    ['deletions-at-equal', [deleted(5, 20)], updated(5, 21), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20)], ended(5, 'a', 21), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [deleted(5, 20)], updated(5, 19), 'stale'],
    ['deletions-at-equal', [deleted(5, 20)], updated(5), 'stale'],
    ['deletions-at-equal', [deleted(5, 20)], updated(4, 21), 'stale'],
    ['deletions-at-equal', [deleted(5, -20)], updated(5, -19), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20)], updated(5, 1_767_258_000_000), 'claimed'],
    ['deletions-at-equal', [deleted(5, 1_767_258_000_000)], updated(5, 1_767_258_000_001), 'claimed'],
    ['deletions-at-equal', [deleted(5, 1_767_258_000_001)], updated(5, 1_767_258_000_000), 'stale'],
    ['deletions-at-equal', [deleted(5)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [updated(5, 30), deleted(5, 20)], updated(5, 25), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20), deleted(5, 10)], updated(5, 15), 'stale'],
    ['deletions-at-equal', [deleted(5, 10), deleted(5, 20)], updated(5, 15), 'stale'],
    ['deletions-at-equal', [deleted(5, 10), deleted(5, 20)], updated(5, 21), 'claimed'],
    ['deletions-at-equal', [deleted(5), deleted(5, 20)], updated(5, 21), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), deleted(5)], updated(5, 21), 'stale'],
    ['deletions-at-equal', [deleted(4, 20), deleted(5)], updated(5, 21), 'stale'],
    ['deletions-at-equal', [deleted(4, 20), deleted(5, 10)], updated(5, 11), 'claimed'],
    ['deletions-at-equal', [deleted(4, 10), updated(5), deleted(5, 20)], updated(5, 15), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), deleted(4, 30)], updated(5, 25), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 19)], updated(5, 21), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 19)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), updated(4, 21)], updated(5, 20), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 30)], updated(5, 40), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 30)], deleted(5, 40), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 30), deleted(5, 40)], updated(5, 35), 'stale'],
    ['deletions-at-equal', [deleted(5, 20), updated(5, 30), deleted(5, 40)], updated(5, 45), 'claimed'],
    ['deletions-at-equal', [deleted(5, 20), updated(6), updated(6)], updated(6, 30), 'stale'],
    ['per-kind', [updated(5)], ended(5, 'a'), 'claimed'],
    ['per-kind', [updated(5)], updated(5), 'stale'],
    ['per-kind', [ended(5, 'a')], ended(5, 'a'), 'stale'],
    ['per-kind', [ended(5, 'a')], ended(5, 'b'), 'claimed'],
    ['per-kind', [ended(5, 'a'), updated(6)], ended(5, 'b'), 'stale'],
    ['per-kind', [ended(5, 'a'), updated(5)], ended(5, 'a'), 'stale'],
    ['per-kind', [updated(5)], deleted(5), 'claimed'],
    ['per-kind', [updated(5)], ended(4, 'a'), 'stale'],
    ['per-kind', [deleted(5)], updated(5), 'stale'],
    ['per-kind', [deleted(5)], deleted(5), 'claimed'],
    ['per-kind', [updated(5), deleted(5, 20)], updated(5, 21), 'claimed'],
    ['per-kind', [updated(5), deleted(5, 20), ended(5, 'a', 21)], updated(5), 'claimed'],
    ['per-kind', [deleted(5, 20), updated(5, 21)], updated(5, 22), 'stale'],
    ['per-kind', [deleted(5, 20), updated(5, 19), ended(5, 'a', 21)], updated(5, 22), 'stale'],
    ['per-kind', [deleted(5, 20)], ended(5, 'a', 19), 'stale'],
    ['off', [updated(5)], updated(4), 'claimed'],
    ['off', [deleted(5)], updated(5), 'claimed'],
  ]
  return table.map(([gate, applied, change, expected]) => {
    const history = applied.map(inWords).join(', then ')
    return check(`${gate}: after ${history}, ${inWords(change)} is ${expected}`, async (store, request) => {
      for (const each of applied) {
        await apply(store, { ...request(), gate: 'off', note: { noteId: 'note_1', change: each } })
      }
      const claim = { ...request(), gate, note: { noteId: 'note_1', change } }
      assert.equal(await answer(store, claim), expected)
    })
  })
}

interface RequestTraits {
  readonly eventId?: string
  readonly noteId?: string
  readonly revision?: number
  readonly gate?: GateMode
  readonly leaseMs?: number
  readonly keepMs?: number
}

type RequestBuilder = (traits?: RequestTraits) => ClaimRequest

function check(name: string, body: (store: ReceiverStore, request: RequestBuilder) => Promise<void>): StoreCheck {
  return {
    name,
    run: (store) => {
      const integration = `check-${crypto.randomUUID()}`
      return body(store, ({ eventId, noteId = 'note_1', revision = 1, gate, leaseMs, keepMs } = {}) => ({
        integration,
        eventId: eventId ?? `evt_${crypto.randomUUID()}`,
        note: { noteId, change: { kind: 'note.updated', revision } },
        gate: gate ?? 'deletions-at-equal',
        leaseMs: leaseMs ?? 60_000,
        keepMs: keepMs ?? 3_600_000,
      }))
    },
  }
}

async function claimed(store: ReceiverStore, request: ClaimRequest): Promise<Claim> {
  const result = await store.claim(request)
  assert.equal(result.status, 'claimed')
  assert.ok(result.status === 'claimed')
  return result.claim
}

async function answer(store: ReceiverStore, request: ClaimRequest): Promise<string> {
  return (await store.claim(request)).status
}

async function apply(store: ReceiverStore, request: ClaimRequest): Promise<void> {
  assert.equal(await store.commit(await claimed(store, request)), 'committed')
}

function inWords({ kind, revision, recordingSessionId, occurredAt }: NoteChange): string {
  const session = recordingSessionId === undefined ? '' : ` of session ${recordingSessionId}`
  const time = occurredAt === undefined ? '' : `, occurred at ${occurredAt}`
  return `${kind}${session} at ${revision}${time}`
}
