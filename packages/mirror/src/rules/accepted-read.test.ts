import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, aTombstone, KEEP_ALL, NOW } from '../../fixtures/note-states.ts'
import type { NoteState } from '../notes/note-state.ts'
import { applyAcceptedRead } from './read-rule.ts'

const READING = aReading(30, 31)

const heard = { kind: 'note.updated', revision: 9, sequence: 40, at: NOW } as const
const floor = { revision: 9, at: NOW, deletedAt: NOW, unrevisedAt: null }
const laterAbsence = { says: 'absent', start: 40, end: 41, source: 'poll', at: NOW } as const

const NOTHING_LEFT = {
  ...{ readAfterSequence: null, hintedRevision: null, contradictedSince: null, hiddenSequence: null, hiddenAt: null },
  ...{ floor: null, heldByFullListing: null },
}

describe('a read that the user accepts', () => {
  it.each<[string, NoteState]>([
    ['a higher revision of the stored record', aLiveNote({ revision: 9 })],
    ['a later read that did not find the note', aLiveNote({ evidence: laterAbsence })],
    ['an event with a higher revision', aLiveNote({ hintedRevision: 9, readAfterSequence: 40, heard })],
    ['earlier contradictions', aLiveNote({ revision: 9, readAfterSequence: 20, contradictedSince: NOW - 1000 })],
    ['a later event that hid it', aLiveNote({ presence: 'hidden', hiddenSequence: 40, hiddenAt: NOW, heard })],
    ['an announced deletion at a higher revision', aGoneNote({ floor })],
    ['a full listing that holds its removal back', aLiveNote({ presence: 'hidden', heldByFullListing: 's1' })],
    ['a later due time', aLiveNote({ revision: 9, readAfterSequence: 20, dueAt: NOW + 9000 })],
  ])('shows the record despite %s, and has its content read now', (_, state) => {
    const decision = applyAcceptedRead(state, aRecord({ title: 'Restored' }), READING, { keep: KEEP_ALL })
    expect(decision.content).toEqual({ note: aRecord({ title: 'Restored' }) })
    expect(decision.state).toMatchObject({ presence: 'live', revision: 5, settledRevision: null, dueAt: NOW })
    expect(decision.state).toMatchObject({ ...NOTHING_LEFT, heard: state.heard, evidence: { start: 30, end: 31 } })
  })

  it.each([
    ['it does not find the note', undefined, 5],
    ['it returns a tombstone', aTombstone({ revision: 4 }), 4],
  ])('removes the note if %s, despite a later event', (_, answer, revision) => {
    const state = aLiveNote({ hintedRevision: 9, readAfterSequence: 40, dueAt: NOW, heldByFullListing: 's1', heard })
    const decision = applyAcceptedRead(state, answer, READING, { keep: KEEP_ALL })
    expect(decision).toMatchObject({ state: { presence: 'gone', dueAt: null }, content: 'erase' })
    expect(decision.state).toMatchObject({ ...NOTHING_LEFT, heard, revision })
  })

  it('announces the removal of a note that was not found', () => {
    expect(applyAcceptedRead(aLiveNote(), undefined, READING, { keep: KEEP_ALL }).announce).toBe('vanished')
  })

  it('has nothing read in a mirror that keeps no content', () => {
    const { state } = applyAcceptedRead(aLiveNote({ revision: 9 }), aRecord(), READING, { keep: new Set(['note']) })
    expect(state).toMatchObject({ settledRevision: 5, dueAt: null })
  })
})
