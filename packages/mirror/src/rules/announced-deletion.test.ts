import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, NOW, read } from '../../fixtures/note-states.ts'
import { type DeletionFloor, unknownNote } from '../notes/note-state.ts'
import { floorAfter, retryAfterLag, withTrustedFloor } from './deletion-floor.ts'

const DAY_MS = 24 * 60 * 60_000

const aFloor = (traits: Partial<DeletionFloor> = {}): DeletionFloor => ({
  ...{ revision: 7, at: NOW, deletedAt: NOW, unrevisedAt: null },
  ...traits,
})

describe('an announced deletion', () => {
  it.each([
    ['has the revision of its event', aLiveNote(), 3, 3],
    ['without a revision has the stored one', aLiveNote(), null, 5],
    ['without a revision has the announced one', aLiveNote({ hintedRevision: 6 }), null, 6],
    ['without a revision may have revision 0', aLiveNote({ revision: 0 }), null, 0],
    ['of an unknown note has no revision without that of its event', unknownNote('n1'), null, null],
  ])('%s', (_, state, revision, expected) => {
    const unrevisedAt = revision === null ? NOW : null
    expect(floorAfter(state, { revision, occurredAt: null }, NOW)).toEqual(aFloor({ revision: expected, unrevisedAt }))
  })

  it.each([
    ['the time of its event', NOW + 5000, NOW + 5000],
    ['the arrival of its event, if that is later', NOW - 5000, NOW],
    ['the arrival of its event, if that has no time', null, NOW],
  ])('is dated by %s', (_, occurredAt, deletedAt) => {
    expect(floorAfter(aLiveNote(), { revision: 7, occurredAt }, NOW)).toEqual(aFloor({ deletedAt }))
  })

  it.each<[string, Partial<DeletionFloor>, Partial<DeletionFloor>]>([
    ['with the higher revision', { revision: 6 }, { at: NOW + 1000, deletedAt: NOW + 1000 }],
    ['with the later date', { deletedAt: NOW + 5000 }, { at: NOW + 1000, deletedAt: NOW + 5000 }],
    ['with the later arrival', { at: NOW + 2000 }, { at: NOW + 2000, deletedAt: NOW + 1000 }],
    [
      'dated by the first without a revision',
      { unrevisedAt: NOW },
      { ...{ at: NOW + 1000, deletedAt: NOW + 1000, unrevisedAt: NOW } },
    ],
    [
      'dated now after a time that a wrong clock wrote',
      { at: NOW + DAY_MS },
      { at: NOW + 1000, deletedAt: NOW + 1000 },
    ],
  ])('that is announced again is one, %s', (_, first, expected) => {
    const state = aGoneNote({ floor: aFloor(first) })
    expect(floorAfter(state, { revision: 7, occurredAt: null }, NOW + 1000)).toEqual(aFloor(expected))
  })

  it.each([
    ['of both', NOW + 2000, NOW + 2000],
    ['of the second, if a wrong clock wrote the first', NOW + DAY_MS, NOW + 1000],
  ])('without a revision, announced twice, is dated by the later arrival %s', (_, unrevisedAt, expected) => {
    const state = aGoneNote({ floor: aFloor({ unrevisedAt }) })
    expect(floorAfter(state, { revision: null, occurredAt: null }, NOW + 1000).unrevisedAt).toBe(expected)
  })

  it('is not changed by that of a lower revision', () => {
    const state = aGoneNote({ floor: aFloor() })
    expect(floorAfter(state, { revision: 6, occurredAt: NOW + DAY_MS }, NOW + 1000)).toBe(state.floor)
  })

  it.each([
    ['its arrival', { at: NOW + DAY_MS }, { at: NOW }],
    ['the arrival of one without a revision', { unrevisedAt: NOW + DAY_MS }, { unrevisedAt: NOW }],
    ['neither', { unrevisedAt: NOW + 1 }, {}],
  ])('is dated now if a wrong clock wrote %s', (_, floor, corrected) => {
    const state = aGoneNote({ floor: aFloor(floor) })
    expect(withTrustedFloor(state, NOW)).toEqual({ ...state, floor: aFloor({ ...floor, ...corrected }) })
  })
})

describe('a record that may be older than an announced deletion', () => {
  it.each([
    ['its arrival', {}, NOW + 60_001],
    ['a later one without a revision', { unrevisedAt: NOW + 5000 }, NOW + 65_001],
    ['its arrival, after one without a revision', { at: NOW + 5000, unrevisedAt: NOW }, NOW + 65_001],
  ])('has a note that is gone read again a minute after %s', (_, floor, dueAt) => {
    const state = aGoneNote({ floor: aFloor(floor), readAfterSequence: 30 })
    expect(retryAfterLag(state, aReading(30, 31))).toEqual({ ...state, attempts: 1, dueAt })
  })

  it('has a note that is gone read again if a listing shows it, which is no attempt', () => {
    const state = aGoneNote({ floor: aFloor() })
    const listed = read(state, aRecord({ revision: 7 }), aReading(30, 31, { source: 'poll' }))
    expect(listed.state).toEqual({ ...state, readAfterSequence: 31, dueAt: NOW + 60_001 })
  })

  it('does not change when a hidden note is read, if a listing shows it', () => {
    const hidden = { presence: 'hidden', hiddenSequence: 20, hiddenAt: NOW, readAfterSequence: 20 } as const
    const state = aLiveNote({ ...hidden, floor: aFloor(), attempts: 4, dueAt: NOW + 100 })
    const listed = read(state, aRecord({ revision: 7 }), aReading(20, 31, { source: 'poll' }))
    expect(listed.state).toEqual({ ...state, readAfterSequence: 31 })
  })
})
