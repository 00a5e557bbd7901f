import { describe, expect, it } from 'vitest'
import { aLiveNote, aReading, NOW } from '../../fixtures/note-states.ts'
import type { NoteState } from '../notes/note-state.ts'
import {
  backoffAfterRefusal,
  clearDirty,
  highestKnownRevision,
  isAcceptedAfterRetries,
  markContradicted,
  recordContradiction,
} from './contradiction.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

describe('a contradiction', () => {
  it.each([
    ['begins with the first read at a lower revision', null, NOW],
    ['goes on with the next', NOW - 5000, NOW - 5000],
    ['begins now, if a wrong clock wrote that it begins later', NOW + DAY_MS, NOW],
  ])('%s', (_, contradictedSince, expected) => {
    const state = aLiveNote({ contradictedSince })
    expect(markContradicted(state, { at: NOW })).toEqual({ ...state, contradictedSince: expected })
  })

  it.each([
    ['after a read, after a pause', 'read', {}, { readAfterSequence: 31, attempts: 3, dueAt: NOW + 8000 }],
    ['after a read', 'read', { readAfterSequence: 20 }, { readAfterSequence: 20, attempts: 3, dueAt: NOW + 8000 }],
    ['after a listing, now', 'poll', {}, { readAfterSequence: 31, dueAt: NOW }],
    ['after a listing, as planned', 'poll', { readAfterSequence: 20 }, { readAfterSequence: 20, dueAt: NOW + 9 }],
  ] as const)('has the note read again: %s', (_, source, traits, expected) => {
    const state = aLiveNote({ attempts: 2, dueAt: NOW + 9, ...traits })
    const after = recordContradiction(state, aReading(30, 31, { source }))
    expect(after).toEqual({ ...state, contradictedSince: NOW, ...expected })
  })

  it.each([
    ['with eight attempts in eight minutes is accepted', {}, 'read', true],
    ['with seven attempts is not accepted', { attempts: 7 }, 'read', false],
    ['of less than eight minutes is not accepted', { contradictedSince: NOW - 8 * MINUTE_MS + 1 }, 'read', false],
    ['since a time in the future is not accepted', { contradictedSince: NOW + DAY_MS }, 'read', false],
    ['without a beginning is not accepted', { contradictedSince: null }, 'read', false],
    ['is not accepted by a listing', {}, 'poll', false],
  ] as const)('%s', (_, traits, source, expected) => {
    const state = aLiveNote({ attempts: 8, contradictedSince: NOW - 8 * MINUTE_MS, ...traits })
    expect(isAcceptedAfterRetries(state, aReading(30, 31, { source }))).toBe(expected)
  })
})

it.each([
  [1, 2000],
  [7, 128_000],
  [8, 6 * 60 * MINUTE_MS],
])('the pause after %i reads below the revision of an announced deletion is %i ms', (attempts, pauseMs) => {
  expect(backoffAfterRefusal(attempts)).toBe(pauseMs)
})

it.each([
  [null, null, -1],
  [5, null, 5],
  [null, 0, 0],
  [5, 7, 7],
  [7, 5, 7],
])(
  'of the stored revision %s and the announced revision %s, the highest is %i',
  (revision, hintedRevision, highest) => {
    expect(highestKnownRevision({ ...aLiveNote(), revision, hintedRevision })).toBe(highest)
  },
)

describe('a read of a note that must be read', () => {
  const dirty = aLiveNote({
    readAfterSequence: 20,
    hintedRevision: 7,
    attempts: 2,
    contradictedSince: NOW - 1,
    dueAt: NOW,
  })
  const clean = { ...dirty, readAfterSequence: null, hintedRevision: null, attempts: 0, contradictedSince: null }

  it.each<[string, number, number, Partial<NoteState>, Partial<NoteState>]>([
    ['settles it at the announced revision', 7, 20, {}, clean],
    ['settles it at a higher revision', 8, 20, {}, clean],
    ['settles it without an announced revision', 5, 20, { hintedRevision: null }, clean],
    ['lags below that revision', 6, 20, {}, { ...dirty, attempts: 3, dueAt: NOW + 8000 }],
    ['settles it nevertheless after eight attempts', 6, 20, { attempts: 8, contradictedSince: NOW - DAY_MS }, clean],
    ['does not settle it if it began too early', 7, 19, {}, { ...dirty, contradictedSince: null }],
    ['proves nothing if it began too early and lags', 6, 19, {}, dirty],
  ])('%s', (_, revision, start, traits, expected) => {
    expect(clearDirty({ ...dirty, ...traits }, revision, aReading(start, 31))).toEqual(expected)
  })

  it('ends a contradiction of a note that need not be read', () => {
    const state = aLiveNote({ contradictedSince: NOW - 1 })
    expect(clearDirty(state, 5, aReading(20, 31))).toEqual(aLiveNote())
    expect(clearDirty(state, 4, aReading(20, 31))).toBe(state)
  })
})
