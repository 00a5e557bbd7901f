import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, NOW } from '../../fixtures/note-states.ts'
import { unknownNote } from '../notes/note-state.ts'
import { beganBeforeFullListing, beganTooEarly, overlaps, withEvidence } from './evidence.ts'

/** Found by a read from sequence number 10 to 20. */
const found = aLiveNote({ evidence: { says: 'present', ...aReading(10, 20) } })

describe('a read', () => {
  it.each([
    ['overlaps a read that ended after it began', found, 19, true],
    ['does not overlap a read that ended when it began', found, 20, false],
    ['does not overlap a read that never was', unknownNote('n1'), 0, false],
  ])('%s', (_, state, start, expected) => {
    expect(overlaps(state, aReading(start, 30))).toBe(expected)
  })

  it.each([
    ['began too early, if it must begin later', 20, 19, true],
    ['began in time, if it must begin then', 20, 20, false],
    ['never began too early for a note that need not be read', null, 0, false],
  ])('%s', (_, readAfterSequence, start, expected) => {
    expect(beganTooEarly(aLiveNote({ readAfterSequence }), aReading(start, 30))).toBe(expected)
  })

  it.each([
    ['began before a full listing', 20, 19, true],
    ['began with a full listing', 20, 20, false],
    ['began without a full listing', undefined, 0, false],
  ])('%s', (_, fullListingStartSequence, start, expected) => {
    expect(beganBeforeFullListing(aReading(start, 30, { fullListingStartSequence }))).toBe(expected)
  })
})

describe('the evidence of a note', () => {
  it.each(['poll', 'read'] as const)('is the latest read, such as a %s', (source) => {
    const stamp = aReading(10, 30, { source, at: NOW + 1, requestedAt: NOW, fullListingBeganAt: NOW })
    const evidence = { says: 'present', start: 10, end: 30, source, at: NOW + 1 }
    expect(withEvidence(found, 'present', stamp)).toEqual({ ...found, evidence })
  })

  it('remains a read that began later and had the same result', () => {
    expect(withEvidence(found, 'present', aReading(9, 30))).toBe(found)
  })

  it('is a read with another result, even if that began earlier', () => {
    expect(withEvidence(found, 'absent', aReading(9, 30)).evidence).toMatchObject({ says: 'absent', start: 9 })
    expect(withEvidence(aGoneNote(), 'present', aReading(9, 30)).evidence).toMatchObject({ says: 'present', start: 9 })
  })

  it('is the first read', () => {
    expect(withEvidence(unknownNote('n1'), 'absent', aReading(0, 1)).evidence).toMatchObject({ says: 'absent', end: 1 })
  })
})
