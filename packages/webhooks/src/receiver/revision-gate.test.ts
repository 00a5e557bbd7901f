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

const aChange: fc.Arbitrary<NoteChange> = fc.record({
  kind: fc.constantFrom(...NOTE_EVENT_KINDS),
  revision: fc.integer({ min: 0, max: 6 }),
  recordingSessionId: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
})

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

describe('the revision gate, whatever the order of events', () => {
  it('never lets a revision go down', () => {
    fc.assert(
      fc.property(aMode, fc.array(aChange), (mode, changes) => {
        const revisions = play(mode, changes).passed.map(({ revision }) => revision)
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
      }),
    )
  })

  it('ends at the highest revision that was announced', () => {
    fc.assert(
      fc.property(aMode, fc.array(aChange, { minLength: 1 }), (mode, changes) => {
        expect(play(mode, changes).applied?.revision).toBe(Math.max(...changes.map(({ revision }) => revision)))
      }),
    )
  })

  it('applies nothing at the revision of a deletion after it', () => {
    fc.assert(
      fc.property(aMode, fc.array(aChange), (mode, changes) => {
        const { passed } = play(mode, changes)
        for (const [index, change] of passed.entries()) {
          const next = passed[index + 1]
          if (change.kind === 'note.deleted' && next !== undefined)
            expect(next.revision).toBeGreaterThan(change.revision)
        }
      }),
    )
  })

  it('lets a deletion at the highest revision through, unless it is strict', () => {
    fc.assert(
      fc.property(fc.constantFrom<GateMode>('deletions-at-equal', 'per-kind'), fc.array(aChange), (mode, changes) => {
        const { applied } = play(mode, changes)
        if (applied === undefined || applied.deleted) return
        expect(passRevisionGate(mode, { kind: 'note.deleted', revision: applied.revision }, applied)).toBe('apply')
      }),
    )
  })

  it('strict applies each revision of a note at most once', () => {
    fc.assert(
      fc.property(fc.array(aChange), (changes) => {
        const revisions = play('strict', changes).passed.map(({ revision }) => revision)
        expect(new Set(revisions).size).toBe(revisions.length)
      }),
    )
  })

  it('off lets everything through', () => {
    fc.assert(
      fc.property(fc.array(aChange), (changes) => {
        expect(play('off', changes).passed).toEqual(changes)
      }),
    )
  })
})
