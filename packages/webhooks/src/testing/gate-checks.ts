import assert from 'node:assert/strict'
import type { GateMode, NoteChange } from '../interfaces/revision-gate.ts'
import { answer, apply, check, type StoreCheck } from './store-check-builder.ts'

const updated = (revision: number, occurredAt?: number): NoteChange => ({ kind: 'note.updated', revision, occurredAt })
const deleted = (revision: number, occurredAt?: number): NoteChange => ({ kind: 'note.deleted', revision, occurredAt })
const deletedWithoutRevision = (occurredAt?: number): NoteChange => ({ kind: 'note.deleted', occurredAt })
const ended = (revision: number, recordingSessionId: string, occurredAt?: number): NoteChange => ({
  kind: 'note.ended',
  revision,
  recordingSessionId,
  occurredAt,
})

/** For each mode of the revision gate: the changes that were applied, the change of the next event, and the result of its claim. */
const CASES: Readonly<
  Record<GateMode, readonly (readonly [readonly NoteChange[], NoteChange, 'claimed' | 'stale'])[]>
> = {
  strict: [
    [[updated(5)], updated(6), 'claimed'],
    [[updated(5)], updated(5), 'stale'],
    [[updated(5)], updated(4), 'stale'],
    [[updated(5)], deleted(5), 'stale'],
    [[updated(5)], ended(5, 'a'), 'stale'],
    [[deleted(5)], updated(6), 'claimed'],
    [[deleted(5, 10)], deleted(5, 20), 'stale'],
    [[deleted(5, 10)], updated(5, 20), 'stale'],
    [[updated(5)], deletedWithoutRevision(20), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], deletedWithoutRevision(20), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], updated(5, 21), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], updated(6, 21), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], updated(6, 20), 'stale'],
  ],
  'deletions-at-equal': [
    [[updated(5)], updated(6), 'claimed'],
    [[updated(5)], updated(5), 'stale'],
    [[updated(5, 10)], updated(5, 20), 'stale'],
    [[updated(5)], ended(5, 'a'), 'stale'],
    [[updated(5)], deleted(5), 'claimed'],
    [[updated(5)], deleted(4), 'stale'],
    [[updated(5), deleted(5)], updated(5), 'stale'],
    [[updated(5), deleted(5)], deleted(5), 'claimed'],
    [[updated(5), deleted(5)], updated(6), 'claimed'],
    [[deleted(5, 20)], deleted(5, 10), 'claimed'],
    [[deleted(5, 20)], deleted(4, 30), 'stale'],
    [[deleted(5, 20)], updated(5, 21), 'claimed'],
    [[deleted(5, 20)], ended(5, 'a', 21), 'claimed'],
    [[deleted(5, 20)], updated(5, 20), 'stale'],
    [[deleted(5, 20)], updated(5, 19), 'stale'],
    [[deleted(5, 20)], updated(5), 'stale'],
    [[deleted(5, 20)], updated(4, 21), 'stale'],
    [[deleted(5, -20)], updated(5, -19), 'claimed'],
    [[deleted(5, 20)], updated(5, 1_767_258_000_000), 'claimed'],
    [[deleted(5, 1_767_258_000_000)], updated(5, 1_767_258_000_001), 'claimed'],
    [[deleted(5, 1_767_258_000_001)], updated(5, 1_767_258_000_000), 'stale'],
    [[deleted(5)], updated(5, 20), 'stale'],
    [[updated(5, 30), deleted(5, 20)], updated(5, 25), 'claimed'],
    [[deleted(5, 20), deleted(5, 10)], updated(5, 15), 'stale'],
    [[deleted(5, 10), deleted(5, 20)], updated(5, 15), 'stale'],
    [[deleted(5, 10), deleted(5, 20)], updated(5, 21), 'claimed'],
    [[deleted(5), deleted(5, 20)], updated(5, 21), 'stale'],
    [[deleted(5, 20), deleted(5)], updated(5, 21), 'stale'],
    [[deleted(4, 20), deleted(5)], updated(5, 21), 'stale'],
    [[deleted(4, 20), deleted(5, 10)], updated(5, 11), 'claimed'],
    [[deleted(4, 10), updated(5), deleted(5, 20)], updated(5, 15), 'stale'],
    [[deleted(5, 20), deleted(4, 30)], updated(5, 25), 'claimed'],
    [[deleted(5, 20), updated(5, 19)], updated(5, 21), 'claimed'],
    [[deleted(5, 20), updated(5, 19)], updated(5, 20), 'stale'],
    [[deleted(5, 20), updated(4, 21)], updated(5, 20), 'stale'],
    [[deleted(5, 20), updated(5, 30)], updated(5, 40), 'stale'],
    [[deleted(5, 20), updated(5, 30)], deleted(5, 40), 'claimed'],
    [[deleted(5, 20), updated(5, 30), deleted(5, 40)], updated(5, 35), 'stale'],
    [[deleted(5, 20), updated(5, 30), deleted(5, 40)], updated(5, 45), 'claimed'],
    [[deleted(5, 20), updated(6), updated(6)], updated(6, 30), 'stale'],
    // The deletion has no revision, so only the time tells which event is later (open point 38).
    [[updated(5)], deletedWithoutRevision(), 'claimed'],
    [[deletedWithoutRevision(20)], deletedWithoutRevision(10), 'claimed'],
    [[deletedWithoutRevision(20)], deleted(0), 'claimed'],
    [[deletedWithoutRevision(20)], updated(0, 21), 'claimed'],
    [[deletedWithoutRevision(20)], updated(7, 20), 'stale'],
    [[deletedWithoutRevision(20)], updated(7), 'stale'],
    [[deletedWithoutRevision()], updated(7, 20), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], updated(6, 19), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], updated(6, 21), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], updated(5, 21), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], updated(4, 21), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], deleted(5, 10), 'claimed'],
    [[updated(5), deletedWithoutRevision(20)], deleted(4, 30), 'stale'],
    [[updated(5, 30), deletedWithoutRevision(20)], updated(5, 30), 'claimed'],
    [[updated(5), deletedWithoutRevision(20), updated(6, 19)], updated(7, 20), 'stale'],
    [[updated(5), deletedWithoutRevision(20), updated(6, 19)], updated(6, 21), 'claimed'],
    [[updated(5), deletedWithoutRevision(20), updated(6, 21)], updated(7), 'claimed'],
    [[updated(5), deletedWithoutRevision(20), updated(5, 21)], updated(5, 22), 'stale'],
    [[deletedWithoutRevision(20), deletedWithoutRevision(10)], updated(5, 15), 'stale'],
    [[deletedWithoutRevision(20), deletedWithoutRevision()], updated(5, 30), 'stale'],
    [[deletedWithoutRevision(20), updated(3, 21)], updated(3, 22), 'stale'],
    [[deleted(5, 20), deletedWithoutRevision(10)], updated(6, 20), 'stale'],
    [[deleted(5, 20), deletedWithoutRevision(10)], updated(6, 21), 'claimed'],
    [[deleted(5), deletedWithoutRevision(20)], updated(6, 30), 'stale'],
    [[deletedWithoutRevision(20), deleted(5, 30)], updated(6), 'claimed'],
    [[deletedWithoutRevision(20), deleted(5, 30)], updated(5, 25), 'stale'],
    [[deletedWithoutRevision(20), deleted(5, 10)], updated(6, 15), 'stale'],
    [[deletedWithoutRevision(20), deleted(5, 10)], updated(6, 21), 'claimed'],
    [[deletedWithoutRevision(20), deleted(5)], updated(6, 30), 'stale'],
    [[deletedWithoutRevision(1_767_258_000_000)], updated(5, 1_767_258_000_001), 'claimed'],
    [[deletedWithoutRevision(-20)], updated(5, -21), 'stale'],
  ],
  'per-kind': [
    [[updated(5)], ended(5, 'a'), 'claimed'],
    [[updated(5)], updated(5), 'stale'],
    [[ended(5, 'a')], ended(5, 'a'), 'stale'],
    [[ended(5, 'a')], ended(5, 'b'), 'claimed'],
    [[ended(5, 'a'), updated(6)], ended(5, 'b'), 'stale'],
    [[ended(5, 'a'), updated(5)], ended(5, 'a'), 'stale'],
    [[updated(5)], deleted(5), 'claimed'],
    [[updated(5)], ended(4, 'a'), 'stale'],
    [[deleted(5)], updated(5), 'stale'],
    [[deleted(5)], deleted(5), 'claimed'],
    [[updated(5), deleted(5, 20)], updated(5, 21), 'claimed'],
    [[updated(5), deleted(5, 20), ended(5, 'a', 21)], updated(5), 'claimed'],
    [[deleted(5, 20), updated(5, 21)], updated(5, 22), 'stale'],
    [[deleted(5, 20), updated(5, 19), ended(5, 'a', 21)], updated(5, 22), 'stale'],
    [[deleted(5, 20)], ended(5, 'a', 19), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], ended(5, 'a', 20), 'stale'],
    [[updated(5), deletedWithoutRevision(20)], ended(6, 'a', 20), 'stale'],
    [[updated(5), deletedWithoutRevision(20), ended(5, 'a', 21)], updated(5), 'claimed'],
    [[updated(5), deletedWithoutRevision(20), ended(5, 'a', 21)], ended(5, 'a', 22), 'stale'],
  ],
  off: [
    [[updated(5)], updated(4), 'claimed'],
    [[deleted(5)], updated(5), 'claimed'],
    [[deletedWithoutRevision(20)], updated(5, 10), 'claimed'],
  ],
}

/** The checks of the revision gate of a store. */
export const gateChecks: readonly StoreCheck[] = Object.entries(CASES).flatMap(([mode, cases]) =>
  cases.map(([applied, change, expected]) => {
    const gate = mode as GateMode
    const history = applied.map(inWords).join(', then ')
    return check(`${gate}: after ${history}, ${inWords(change)} is ${expected}`, async (store, request) => {
      for (const each of applied) {
        await apply(store, { ...request(), gate: 'off', note: { noteId: 'note_1', change: each } })
      }
      assert.equal(await answer(store, { ...request(), gate, note: { noteId: 'note_1', change } }), expected)
    })
  }),
)

function inWords({ kind, revision, recordingSessionId, occurredAt }: NoteChange): string {
  const at = revision === undefined ? 'without a revision' : `at ${revision}`
  const session = recordingSessionId === undefined ? '' : ` of session ${recordingSessionId}`
  const time = occurredAt === undefined ? '' : `, occurred at ${occurredAt}`
  return `${kind}${session} ${at}${time}`
}
