import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aTombstone, NOW } from '../../fixtures/note-states.ts'
import { type HeardEvent, LATEST_HIDDEN_MS, type NoteState, unknownNote } from '../notes/note-state.ts'
import { acceptRemoval, applyAbsence, eraseUnconfirmed, markMissing } from './absence-rule.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const READING = aReading(30, 31)

const anEvent = (kind: string, at = NOW): HeardEvent => ({ kind, revision: 7, sequence: 20, at })
const aFloor = (revision: number | null) => ({ revision, at: NOW, deletedAt: NOW, unrevisedAt: null })

describe('a note that an event announced, and that was never read', () => {
  const announced = {
    ...unknownNote('n1'),
    ...{ hintedRevision: 7, readAfterSequence: 20, dueAt: NOW, heard: anEvent('note.created') },
  }

  it.each<[string, Partial<NoteState>]>([
    ['after a pause', {}],
    ['after a longer pause', { attempts: 6 }],
    ['if its deletion was followed by another event', { floor: aFloor(7) }],
    ['if its deletion at a lower revision is the latest event', { heard: anEvent('note.deleted'), floor: aFloor(6) }],
    [
      'if its deletion at no revision is the latest event',
      { hintedRevision: 1, heard: anEvent('note.deleted'), floor: aFloor(null) },
    ],
    ['if its deletion is not known', { heard: anEvent('note.deleted') }],
    ['if no event is known', { heard: null }],
  ])('may be too new to be found, and is read again %s', (_, traits) => {
    const state = { ...announced, ...traits }
    const evidence = { says: 'absent', start: 30, end: 31, source: 'read', at: NOW }
    const attempts = state.attempts + 1
    const dueAt = NOW + 1000 * 2 ** attempts
    expect(applyAbsence(state, undefined, READING)).toEqual({ state: { ...state, evidence, attempts, dueAt } })
  })

  it.each<[string, Partial<NoteState>, boolean]>([
    ['after eight attempts', { attempts: 8, contradictedSince: NOW - HOUR_MS }, false],
    ['if the latest event announced its deletion', { heard: anEvent('note.deleted'), floor: aFloor(7) }, false],
    ['if no event named its revision', { hintedRevision: null }, false],
    ['if it need not be read', { readAfterSequence: null }, false],
    ['if it was read before', { revision: 5 }, false],
    ['if a read finds its tombstone', {}, true],
  ])('is gone %s', (_, traits, isTombstone) => {
    const { state, content } = applyAbsence(
      { ...announced, ...traits },
      isTombstone ? aTombstone() : undefined,
      READING,
    )
    expect([state.presence, content]).toEqual(['gone', 'erase'])
  })
})

describe('a note that is gone', () => {
  it.each<[string, NoteState, number | null]>([
    ['keeps the revision of its record', aLiveNote(), 5],
    ['has no revision if it was never read', unknownNote('n1'), null],
  ])('%s', (_, state, revision) => {
    expect(applyAbsence(state, undefined, READING).state.revision).toBe(revision)
  })

  it.each([
    [4, aLiveNote(), 5],
    [6, aLiveNote(), 6],
    [1, unknownNote('n1'), 1],
  ])('by a tombstone of revision %i has the highest revision', (revision, state, expected) => {
    expect(applyAbsence(state, aTombstone({ revision }), READING).state.revision).toBe(expected)
  })

  it.each<[string, NoteState, 'vanished' | undefined]>([
    ['announced if it was shown', aLiveNote(), 'vanished'],
    ['announced if it was shown before an event hid it', aLiveNote({ presence: 'hidden' }), 'vanished'],
    ['not announced again', aGoneNote(), undefined],
    ['not announced if it was never shown', unknownNote('n1'), undefined],
  ])('is %s', (_, state, announce) => {
    expect(applyAbsence(state, aTombstone(), READING).announce).toBe(announce)
  })

  it.each([
    ['before the event that hid it', 29, null],
    ['with the event that hid it', 30, null],
    ['later', 31, 31],
    ['without an event', null, null],
  ])('forgets the event that hid it, unless that arrived after the read began: %s', (_, hiddenSequence, expected) => {
    const hidden = aLiveNote({ presence: 'hidden', hiddenSequence, hiddenAt: NOW })
    expect(applyAbsence(hidden, undefined, READING).state).toMatchObject({ hiddenSequence: expected, hiddenAt: null })
  })
})

describe('a note that is gone right after an event with a higher revision', () => {
  const announced = aLiveNote({ hintedRevision: 7, readAfterSequence: 20, dueAt: NOW, heard: anEvent('note.updated') })

  it('is read again when the lag is over', () => {
    const heard = anEvent('note.updated', NOW - 5000)
    const lag = { hintedRevision: 7, readAfterSequence: 31, dueAt: NOW + 55_001 }
    const again = { ...announced, heard }
    expect(applyAbsence(again, undefined, READING).state).toMatchObject({ presence: 'gone', ...lag })
    const marked = applyAbsence({ ...again, readAfterSequence: 40 }, undefined, READING).state
    expect(marked).toMatchObject({ presence: 'gone', ...lag, readAfterSequence: 40 })
  })

  it('is read again a minute later if a wrong clock dated the event', () => {
    const { state } = applyAbsence({ ...announced, heard: anEvent('note.updated', NOW + DAY_MS) }, undefined, READING)
    expect(state).toMatchObject({ presence: 'gone', dueAt: NOW + 60_001 })
  })

  it.each<[string, Partial<NoteState>]>([
    ['a minute later', { heard: anEvent('note.updated', NOW - 60_001) }],
    ['if the event announced a deletion', { heard: anEvent('note.deleted') }],
    ['if the event is not known', { heard: null }],
    ['if the event named the stored revision', { hintedRevision: 5 }],
    ['if the event named no revision', { hintedRevision: null }],
    ['if the note was never read', { revision: null, attempts: 8 }],
  ])('is not read again %s', (_, traits) => {
    const reading = aReading(30, 31, { requestedAt: NOW })
    const { state } = applyAbsence(
      { ...announced, contradictedSince: NOW - HOUR_MS, attempts: 8, ...traits },
      undefined,
      reading,
    )
    expect(state).toMatchObject({ presence: 'gone', readAfterSequence: null, hintedRevision: null })
  })

  it('is not read again after a tombstone', () => {
    const { state } = applyAbsence(announced, aTombstone({ revision: 7 }), READING)
    expect(state).toMatchObject({ presence: 'gone', readAfterSequence: null })
  })
})

describe('a note that a full listing did not list', () => {
  const stamp = { holdingFullListing: 's2', sequence: 50, at: NOW }
  const missed = (traits: Partial<NoteState> = {}, full = 12) =>
    markMissing(aLiveNote(traits), { startSequence: full }, stamp)?.state

  it.each<[string, Partial<NoteState>, Partial<NoteState>]>([
    ['is read now', { dueAt: NOW + 9 }, { readAfterSequence: 50, dueAt: NOW }],
    ['is held by it', {}, { heldByFullListing: 's2' }],
    ['stays held by an earlier one', { heldByFullListing: 's1' }, { heldByFullListing: 's1' }],
    ['keeps a later event', { readAfterSequence: 60 }, { readAfterSequence: 60 }],
  ])('%s', (_, traits, expected) => {
    expect(missed(traits)).toMatchObject({ presence: 'live', ...expected })
  })

  it('was read before the full listing began', () => {
    expect([missed({}, 10), missed({}, 11)?.dueAt, missed({ evidence: null }, 1)?.dueAt]).toEqual([undefined, NOW, NOW])
  })

  it.each(['hidden', 'gone'] as const)('is left as it is, if it is %s', (presence) => {
    expect(missed({ presence })).toBeUndefined()
  })
})

describe('a missing note whose removal a full listing holds back', () => {
  const evidence = { says: 'absent', start: 30, end: 31, source: 'read', at: NOW } as const

  it('is hidden, and keeps its content', () => {
    const held = aLiveNote({ heldByFullListing: 's1' })
    const state = { ...held, presence: 'hidden', settledRevision: null, evidence }
    expect(applyAbsence(held, undefined, READING)).toEqual({ state, announce: 'vanished' })
  })

  it('stays hidden, which is not announced again', () => {
    const hidden = aLiveNote({ presence: 'hidden', heldByFullListing: 's1' })
    const state = { ...hidden, settledRevision: null, evidence }
    expect(applyAbsence(hidden, undefined, READING)).toEqual({ state })
  })

  it('is gone if an event hid it', () => {
    const hidden = aLiveNote({ presence: 'hidden', heldByFullListing: 's1', hiddenSequence: 20 })
    expect(applyAbsence(hidden, undefined, READING)).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
  })
})

it('an accepted removal erases the note', () => {
  const held = aLiveNote({ presence: 'hidden', heldByFullListing: 's1' })
  const outcomes = { transcriptOutcome: null, summaryOutcome: null, settledRevision: null }
  const state = { ...held, ...outcomes, presence: 'gone', heldByFullListing: null }
  expect(acceptRemoval(held, 's1')).toEqual({ state, content: 'erase', announce: 'vanished' })
  expect(acceptRemoval(held, 's2')).toBeUndefined()
  expect(acceptRemoval({ ...held, presence: 'live' }, 's1')).toBeUndefined()
})

describe('a note that an event hid', () => {
  const hidden = aLiveNote({ presence: 'hidden', hiddenSequence: 20, hiddenAt: NOW, readAfterSequence: 20, dueAt: NOW })
  const erased = { ...hidden, transcriptOutcome: null, summaryOutcome: null, settledRevision: null, hiddenAt: null }

  it.each([
    ['within an hour', HOUR_MS - 1, false],
    ['after an hour', HOUR_MS, true],
    ['of a wrong clock', HOUR_MS - LATEST_HIDDEN_MS - 1, true],
  ])('is erased if no read confirms that: %s', (_, afterMs, isErased) => {
    expect(eraseUnconfirmed(hidden, NOW + afterMs)).toEqual(isErased ? { state: erased, content: 'erase' } : undefined)
  })

  it.each(['live', 'gone'] as const)('is not erased if it is %s', (presence) => {
    expect(eraseUnconfirmed({ ...hidden, presence }, NOW + DAY_MS)).toBeUndefined()
  })
})
