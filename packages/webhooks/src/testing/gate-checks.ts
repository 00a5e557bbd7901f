import assert from 'node:assert/strict'
import {
  type AppliedRevision,
  type GateMode,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from '../interfaces/revision-gate.ts'
import { check, type StoreCheck } from './store-check-builder.ts'

const updated = (revision: number, occurredAt?: number): NoteChange => ({ kind: 'note.updated', revision, occurredAt })
const deleted = (revision?: number, occurredAt?: number): NoteChange => ({ kind: 'note.deleted', revision, occurredAt })
const ended = (revision: number, recordingSessionId: string, occurredAt?: number): NoteChange => ({
  kind: 'note.ended',
  revision,
  recordingSessionId,
  occurredAt,
})

/** Longer than 32 bits. */
const NOW = 1_767_258_000_000

/** What was applied to a note. A deletion may have no revision (open point 38). */
const HISTORIES: readonly (readonly NoteChange[])[] = [
  [updated(5, 10)],
  [ended(5, 'a')],
  [ended(5, 'a'), updated(5)],
  [ended(5, 'a'), updated(6)],
  [updated(5), updated(4)],
  [deleted(5)],
  [deleted(5, 20)],
  [deleted(5, -20)],
  [deleted(5, NOW)],
  [updated(5, 30), deleted(5, 20)],
  [deleted(5, 10), deleted(5, 20)],
  [deleted(5, 20), deleted(5, 10)],
  [deleted(5, 20), deleted(5)],
  [deleted(4, 20), deleted(5, 10)],
  [deleted(5, 20), deleted(4, 30)],
  [deleted(5, 20), updated(5, 19)],
  [deleted(5, 20), updated(5, 30)],
  [deleted(5, 20), updated(5, 30), deleted(5, 40)],
  [deleted(5, 20), updated(6), updated(6)],
  [deleted(undefined, 20)],
  [deleted()],
  [updated(5, 30), deleted(undefined, 20)],
  [updated(5), deleted(undefined, 20), updated(6, 19)],
  [updated(5), deleted(undefined, 20), ended(5, 'a', 21)],
  [deleted(undefined, 20), deleted(undefined, 10)],
  [deleted(undefined, 20), deleted()],
  [deleted(undefined, 20), updated(3, 21)],
  [deleted(5, 20), deleted(undefined, 10)],
  [deleted(undefined, 20), deleted(5, 30)],
  [deleted(undefined, 20), deleted(5)],
  [deleted(undefined, NOW)],
]

/** The changes of the next events. */
const NEXT: readonly NoteChange[] = [
  ...[4, 5, 6, 7].map((revision) => updated(revision)),
  ...[-21, -19, 15, 19, 20, 21, 25, 45, NOW + 1].map((time) => updated(5, time)),
  ...[15, 20, 21, 25, NOW + 1].map((time) => updated(6, time)),
  updated(4, 21),
  updated(0, 21),
  ...[ended(4, 'a'), ended(5, 'a'), ended(5, 'b'), ended(5, 'b', 19), ended(5, 'a', 25), ended(6, 'a', 20)],
  ...[deleted(0), deleted(4, 30), deleted(5), deleted(5, 10), deleted(), deleted(undefined, 20)],
]

const MODES: readonly GateMode[] = ['strict', 'deletions-at-equal', 'per-kind']

/** The checks of the revision gate of a store: it must decide as `passRevisionGate` does, and keep what `raiseRevision` returns. */
export const gateChecks: readonly StoreCheck[] = HISTORIES.map((changes) =>
  check(`decides on the next event of a note after ${changes.map(inWords).join(', then ')}`, async (stage) => {
    const { store, request } = stage
    const note = (change: NoteChange) => ({ noteId: 'note_1', change })
    let applied: AppliedRevision | undefined
    for (const change of changes) {
      await stage.apply({ gate: 'off', note: note(change) })
      applied = raiseRevision(applied, change)
    }
    for (const gate of MODES) {
      for (const change of NEXT) {
        const result = await store.claim(request({ gate, note: note(change) }))
        const expected = passRevisionGate(gate, change, applied) === 'apply' ? 'claimed' : 'stale'
        const problem = `${gate}: ${inWords(change)} is ${result.status}, and must be ${expected}`
        assert.equal(result.status, expected, problem)
        if (result.status === 'claimed') await store.release(result.claim)
        if (result.status === 'stale') assert.equal(result.appliedRevision, applied?.revision)
      }
    }
    const last = await stage.claim({ gate: 'off', note: note(updated(0, -30)) })
    assert.deepEqual(factsOf(last.applied), factsOf(applied))
  }),
)

/** What a claim returns of the earlier changes. The order of the kinds is free, and so is whether a deletion is one of them. */
function factsOf(applied: AppliedRevision | undefined) {
  const { revision, deleted, deletedAtAnyRevision = false, deletedAt, seen = [] } = applied ?? {}
  const kinds = seen.filter((kind) => kind !== 'note.deleted').toSorted()
  return { revision, deleted, deletedAtAnyRevision, deletedAt, kinds }
}

function inWords({ kind, revision, recordingSessionId, occurredAt }: NoteChange): string {
  const at = revision === undefined ? 'without a revision' : `at ${revision}`
  const session = recordingSessionId === undefined ? '' : ` of session ${recordingSessionId}`
  const time = occurredAt === undefined ? '' : `, occurred at ${occurredAt}`
  return `${kind}${session} ${at}${time}`
}
