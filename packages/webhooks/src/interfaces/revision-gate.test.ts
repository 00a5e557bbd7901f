import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AppliedRevision,
  type GateMode,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from './revision-gate.ts'

const aTime = fc.constantFrom(undefined, 1, 2, 3)

const aRevisedChange = fc.record({
  kind: fc.constantFrom(...NOTE_EVENT_KINDS),
  revision: fc.integer({ min: 0, max: 6 }),
  recordingSessionId: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  occurredAt: aTime,
})

const aChange: fc.Arbitrary<NoteChange> = fc.oneof(
  { weight: 9, arbitrary: aRevisedChange },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note.deleted'), occurredAt: aTime }) },
)

const deletedAt5: NoteChange = { kind: 'note.deleted', revision: 5 }

const aMode = fc.constantFrom<GateMode>('strict', 'deletions-at-equal', 'per-kind')

function play(
  mode: GateMode,
  changes: readonly NoteChange[],
): { applied: AppliedRevision | undefined; passed: NoteChange[] } {
  let applied: AppliedRevision | undefined
  const passed: NoteChange[] = []
  for (const change of changes) {
    if (passRevisionGate(mode, change, applied) === 'stale') continue
    passed.push(change)
    applied = raiseRevision(applied, change)
  }
  return { applied, passed }
}

/** The changes of one note in the order in which they occurred. Some deletions have no revision, and some times are unknown. */
const aHistory: fc.Arbitrary<NoteChange[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...NOTE_EVENT_KINDS, 'note.deleted' as const),
      raises: fc.boolean(),
      hasRevision: fc.boolean(),
      hasTime: mostlyTrue(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    let revision = 0
    return steps.map(({ kind, raises, hasRevision, hasTime }, index) => {
      if (raises) revision += 1
      const occurredAt = hasTime ? index : undefined
      return kind === 'note.deleted' && !hasRevision ? { kind, occurredAt } : { kind, revision, occurredAt }
    })
  })

/** A history, and the order in which its changes arrive. Each arrives once or twice. */
const aDisorder = aHistory.chain((history) =>
  fc.record({
    history: fc.constant(history),
    arrivals: fc
      .subarray(history)
      .chain((twice) => fc.shuffledSubarray([...history, ...twice], { minLength: history.length + twice.length })),
  }),
)

function mostlyTrue(): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 5 }).map((number) => number > 0)
}

describe('the revision gate, for deletions without a revision (open point 38)', () => {
  const MODES = ['deletions-at-equal', 'per-kind'] as const

  it.each(MODES)('%s ends with a deleted note if the last change was a deletion, in any order', (mode) => {
    fc.assert(
      fc.property(aDisorder, ({ history, arrivals }) => {
        fc.pre(history.at(-1)?.kind === 'note.deleted')
        expect(play(mode, arrivals).applied?.deleted).toBe(true)
      }),
    )
  })

  it.each(MODES)('%s ends with a note that is not deleted if the last change arrives after the deletions', (mode) => {
    fc.assert(
      fc.property(aDisorder, ({ history, arrivals }) => {
        const last = history.at(-1)
        const deletions = history.filter(({ kind }) => kind === 'note.deleted')
        fc.pre([last, ...deletions].every((change) => change?.occurredAt !== undefined))
        fc.pre(last?.kind !== 'note.deleted')
        const lastDeletion = arrivals.findLastIndex(({ kind }) => kind === 'note.deleted')
        fc.pre(arrivals.findLastIndex(({ occurredAt }) => occurredAt === last?.occurredAt) > lastDeletion)
        expect(play(mode, arrivals).applied?.deleted).toBe(false)
      }),
    )
  })

  it.each([...MODES, 'strict', 'off'] as const)('%s applies each of them and raises no revision', (mode) => {
    fc.assert(
      fc.property(fc.array(aChange), aTime, (changes, occurredAt) => {
        const { applied } = play(mode, changes)
        const deletion: NoteChange = { kind: 'note.deleted', occurredAt }
        expect(passRevisionGate(mode, deletion, applied)).toBe('apply')
        expect(raiseRevision(applied, deletion)).toMatchObject({ revision: applied?.revision, deleted: true })
      }),
    )
  })

  it.each([...MODES, 'strict'] as const)('%s applies another event after one only if it occurred later', (mode) => {
    fc.assert(
      fc.property(fc.array(aChange), aTime, aChange, (changes, occurredAt, next) => {
        fc.pre(next.kind !== 'note.deleted')
        const deleted = raiseRevision(play(mode, changes).applied, { kind: 'note.deleted', occurredAt })
        if (passRevisionGate(mode, next, deleted) === 'stale') return
        expect(next.occurredAt ?? 0).toBeGreaterThan(occurredAt ?? 4)
        expect(next.revision ?? 0).toBeGreaterThanOrEqual(deleted.revision ?? 0)
      }),
    )
  })
})

describe('the revision gate, for events in any order', () => {
  it('never lowers a revision', () => {
    fc.assert(
      fc.property(aMode, fc.array(aChange), (mode, changes) => {
        const revisions = play(mode, changes).passed.flatMap(({ revision }) => revision ?? [])
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
      }),
    )
  })

  it('ends at the highest revision', () => {
    fc.assert(
      fc.property(aMode, fc.array(aRevisedChange, { minLength: 1 }), (mode, changes) => {
        expect(play(mode, changes).applied?.revision).toBe(Math.max(...changes.map(({ revision }) => revision)))
      }),
    )
  })

  it('after a deletion applies at its revision only deletions and events that occurred later', () => {
    fc.assert(
      fc.property(aMode, fc.array(aChange), (mode, changes) => {
        const { passed } = play(mode, changes)
        for (const [index, change] of passed.entries()) {
          const next = passed[index + 1]
          if (change.kind !== 'note.deleted' || next === undefined) continue
          if (change.revision !== undefined && next.revision !== change.revision) continue
          expect(next.kind === 'note.deleted' || (next.occurredAt ?? 0) > (change.occurredAt ?? 4)).toBe(true)
        }
      }),
    )
  })

  it('applies a deletion at the highest revision, unless the mode is strict', () => {
    fc.assert(
      fc.property(fc.constantFrom<GateMode>('deletions-at-equal', 'per-kind'), fc.array(aChange), (mode, changes) => {
        const { applied } = play(mode, changes)
        if (applied === undefined) return
        expect(passRevisionGate(mode, { ...deletedAt5, revision: applied.revision }, applied)).toBe('apply')
      }),
    )
  })

  it('by default applies at an equal revision only deletions and events that occurred after one (row 32)', () => {
    fc.assert(
      fc.property(fc.array(aRevisedChange, { minLength: 1 }), aRevisedChange, (changes, next) => {
        const { applied } = play('deletions-at-equal', changes)
        const equal = { ...next, revision: applied?.revision ?? 0 }
        const isRegained = applied?.deleted === true && (next.occurredAt ?? 0) > (applied.deletedAt ?? 4)
        const passes = next.kind === 'note.deleted' || isRegained
        expect(passRevisionGate('deletions-at-equal', equal, applied)).toBe(passes ? 'apply' : 'stale')
      }),
    )
  })

  it('keeps the latest time of several deletions in any order, and none if one is unknown', () => {
    fc.assert(
      fc.property(fc.array(aTime, { minLength: 1 }), (times) => {
        const { applied } = play(
          'deletions-at-equal',
          times.map((occurredAt) => ({ ...deletedAt5, occurredAt })),
        )
        const latest = times.includes(undefined) ? undefined : Math.max(...times.map(Number))
        expect(applied?.deletedAt).toBe(latest)
      }),
    )
  })

  it('per kind applies each kind of a recording session once at each revision, unless the note is deleted', () => {
    fc.assert(
      fc.property(fc.array(aChange), (changes) => {
        const { passed } = play(
          'per-kind',
          changes.filter(({ kind }) => kind !== 'note.deleted'),
        )
        const named = passed.map(({ kind, revision, recordingSessionId }) =>
          [kind, revision, recordingSessionId].join(),
        )
        expect(new Set(named).size).toBe(named.length)
      }),
    )
  })

  it('strict applies each revision of a note at most once', () => {
    fc.assert(
      fc.property(fc.array(aChange), (changes) => {
        const revisions = play('strict', changes).passed.flatMap(({ revision }) => revision ?? [])
        expect(new Set(revisions).size).toBe(revisions.length)
      }),
    )
  })

  it('off applies everything', () => {
    fc.assert(
      fc.property(fc.array(aChange), (changes) => {
        expect(play('off', changes).passed).toEqual(changes)
      }),
    )
  })
})

describe('the revision gate, at the current revision of a note', () => {
  const updatedAt5 = raiseRevision(undefined, { kind: 'note.updated', revision: 5 })
  const endedAt5: NoteChange = { kind: 'note.ended', revision: 5, recordingSessionId: 'a' }

  it.each([
    ['strict', 'stale', 'stale'],
    ['deletions-at-equal', 'stale', 'apply'],
    ['per-kind', 'apply', 'apply'],
    ['off', 'apply', 'apply'],
  ] as const)('%s says %s to another kind, and %s to a deletion', (mode, ofAnotherKind, ofADeletion) => {
    expect(passRevisionGate(mode, endedAt5, updatedAt5)).toBe(ofAnotherKind)
    expect(passRevisionGate(mode, { kind: 'note.deleted', revision: 5 }, updatedAt5)).toBe(ofADeletion)
  })

  it('per kind remembers what it saw at this revision, and forgets it at the next', () => {
    const both = raiseRevision(updatedAt5, endedAt5)
    expect(passRevisionGate('per-kind', endedAt5, both)).toBe('stale')
    expect(passRevisionGate('per-kind', { kind: 'note.updated', revision: 5 }, both)).toBe('stale')
    expect(passRevisionGate('per-kind', { ...endedAt5, recordingSessionId: 'b' }, both)).toBe('apply')
    const raised = raiseRevision(both, { kind: 'note.updated', revision: 6 })
    expect(raised.seen).toEqual(['note.updated'])
    expect(passRevisionGate('per-kind', { ...endedAt5, revision: 6 }, raised)).toBe('apply')
  })

  it('a deletion at an unknown time ends at a higher revision', () => {
    const gone = raiseRevision(updatedAt5, deletedAt5)
    expect(raiseRevision(gone, { ...endedAt5, occurredAt: 9 }).deleted).toBe(true)
    expect(raiseRevision(gone, { kind: 'note.deleted', revision: 4 })).toEqual(gone)
    expect(raiseRevision(gone, { kind: 'note.updated', revision: 6 }).deleted).toBe(false)
    const goneAgain = raiseRevision(gone, { ...deletedAt5, occurredAt: 3 })
    expect(passRevisionGate('deletions-at-equal', { ...endedAt5, occurredAt: 9 }, goneAgain)).toBe('stale')
  })

  it.each(['deletions-at-equal', 'per-kind'] as const)(
    '%s applies an event that occurred after the deletion',
    (mode) => {
      const gone = raiseRevision(updatedAt5, { ...deletedAt5, occurredAt: 7 })
      const verdict = (occurredAt: number | undefined) => passRevisionGate(mode, { ...endedAt5, occurredAt }, gone)
      expect([undefined, 6, 7, 8].map(verdict)).toEqual(['stale', 'stale', 'stale', 'apply'])
    },
  )

  it('a note no longer counts as deleted once an event that occurred after the deletion was applied (row 32)', () => {
    const back = raiseRevision(raiseRevision(updatedAt5, { ...deletedAt5, occurredAt: 7 }), {
      ...endedAt5,
      occurredAt: 8,
    })
    expect(back.deleted).toBe(false)
    expect(passRevisionGate('deletions-at-equal', { ...endedAt5, occurredAt: 9 }, back)).toBe('stale')
    expect(passRevisionGate('deletions-at-equal', { ...deletedAt5, occurredAt: 9 }, back)).toBe('apply')
  })

  it('a note stays deleted if an event that occurred before the deletion is applied', () => {
    const gone = raiseRevision(updatedAt5, { ...deletedAt5, occurredAt: 7 })
    const after = raiseRevision(gone, { ...endedAt5, occurredAt: 6 })
    expect(after).toMatchObject({ deleted: true, deletedAt: 7 })
  })

  it('per kind, a deletion clears the seen kinds', () => {
    const gone = raiseRevision(updatedAt5, { ...deletedAt5, occurredAt: 7 })
    expect(gone.seen).toEqual(['note.deleted'])
    const back = raiseRevision(gone, { ...endedAt5, occurredAt: 8 })
    expect(passRevisionGate('per-kind', { kind: 'note.updated', revision: 5 }, back)).toBe('apply')
  })

  it('strict ignores every event at an equal revision, also deletions and events after them (row 32)', () => {
    const gone = raiseRevision(updatedAt5, { ...deletedAt5, occurredAt: 7 })
    expect(passRevisionGate('strict', deletedAt5, gone)).toBe('stale')
    expect(passRevisionGate('strict', { ...endedAt5, occurredAt: 8 }, gone)).toBe('stale')
  })
})
