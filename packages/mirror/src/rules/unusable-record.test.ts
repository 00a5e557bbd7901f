import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, NOW } from '../../fixtures/note-states.ts'
import { unknownNote } from '../notes/note-state.ts'
import { applyUnusable } from './read-rule.ts'

const LISTED = aReading(30, 31, { source: 'poll' })
const SEEN = { says: 'present', start: 30, end: 31, source: 'poll', at: NOW } as const

describe('a listed record that cannot be used', () => {
  it('proves that a shown note exists, and has it read', () => {
    const state = { ...aLiveNote(), evidence: SEEN, readAfterSequence: 31, dueAt: NOW }
    expect(applyUnusable(aLiveNote(), LISTED)).toEqual({ state })
  })

  it.each([
    ['an unknown note', unknownNote('n1')],
    ['a hidden note', aLiveNote({ presence: 'hidden' })],
    ['a note that is gone', aGoneNote()],
  ])('has %s read, and does not show it', (_, state) => {
    expect(applyUnusable(state, LISTED)).toEqual({ state: { ...state, readAfterSequence: 31, dueAt: NOW } })
  })

  it('does not postpone a read of a shown note', () => {
    const state = aLiveNote({ readAfterSequence: 20, dueAt: NOW - 1 })
    expect(applyUnusable(state, LISTED)).toEqual({ state: { ...state, evidence: SEEN } })
  })

  it('changes nothing of a note that is not shown and must be read already', () => {
    expect(applyUnusable(aGoneNote({ readAfterSequence: 20, dueAt: NOW }), LISTED)).toBeUndefined()
  })
})
