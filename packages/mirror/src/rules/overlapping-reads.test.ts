import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, NOW, read } from '../../fixtures/note-states.ts'

const floor = { revision: 5, at: NOW, deletedAt: NOW, unrevisedAt: null }
const evidence = { says: 'present', start: 30, end: 60, source: 'poll', at: NOW } as const

/** A note that a read found from sequence number 30 to 60, and that an event had hidden at 20. */
const hidden = aLiveNote({
  ...{ presence: 'hidden', evidence, floor },
  ...{ hiddenSequence: 20, hiddenAt: NOW, readAfterSequence: 20, dueAt: NOW },
})

describe('of two reads that overlap', () => {
  it('the second confirms a removal if it does not find the note either', () => {
    const { state } = read(aGoneNote(), undefined, aReading(19, 30))
    expect(state).toEqual(aGoneNote())
  })

  it('the one with a lower revision proves nothing about a hidden note, which is read again now', () => {
    const { state } = read(hidden, aRecord({ revision: 4 }), aReading(25, 70))
    expect(state).toEqual({ ...hidden, readAfterSequence: 70, dueAt: NOW })
  })

  it.each([5, 6])('the one that began earlier shows a hidden note at revision %i, which is not lower', (revision) => {
    const { state } = read(hidden, aRecord({ revision }), aReading(25, 70, { at: NOW + 60_001 }))
    expect(state).toMatchObject({ presence: 'live', revision })
  })
})

describe('a read that began after the one before had ended', () => {
  it('contradicts it with a lower revision, and is repeated after a pause', () => {
    const { state } = read(hidden, aRecord({ revision: 4 }), aReading(60, 70))
    expect(state).toMatchObject({ presence: 'hidden', attempts: 1, contradictedSince: NOW, dueAt: NOW + 2000 })
  })

  it('is repeated after minutes, however often it was repeated, if no event announced a deletion', () => {
    const gone = aGoneNote({ attempts: 7, contradictedSince: NOW - 1 })
    const { state } = read(gone, aRecord({ revision: 4 }), aReading(21, 30))
    expect(state).toMatchObject({ presence: 'gone', attempts: 8, dueAt: NOW + 256_000 })
  })
})

describe('a read that began before an event', () => {
  it('found a note that the event hid: it is evidence, and nothing else', () => {
    const { state } = read({ ...hidden, evidence: null }, aRecord(), aReading(19, 25))
    expect(state).toEqual({ ...hidden, evidence: { says: 'present', start: 19, end: 25, source: 'read', at: NOW } })
  })

  it('is no attempt to read a lower revision', () => {
    const hinted = aLiveNote({ readAfterSequence: 30, dueAt: NOW - 1 })
    const { state } = read(hinted, aRecord({ revision: 3 }), aReading(29, 32))
    expect(state).toMatchObject({ attempts: 0, readAfterSequence: 30, dueAt: NOW - 1, contradictedSince: NOW })
  })

  it.each([
    ['does not show a note', aGoneNote({ readAfterSequence: 40, dueAt: NOW }), aRecord({ revision: 4 })],
    ['contradicts another read', aGoneNote({ readAfterSequence: 40, dueAt: NOW, evidence }), undefined],
  ])('does not replace the sequence number of the event, if it %s', (_, state, answer) => {
    expect(read(state, answer, aReading(29, 31)).state.readAfterSequence).toBe(40)
  })
})

describe('the number of failed requests', () => {
  it.each([
    ['ends with an answered read of the note', 'read', 0],
    ['is not changed by a poll', 'poll', 3],
    ['is not changed by a full listing', 'full-listing', 3],
  ] as const)('%s', (_, source, failures) => {
    expect(read(aLiveNote({ failures: 3 }), aRecord(), aReading(11, 12, { source })).state.failures).toBe(failures)
  })
})
