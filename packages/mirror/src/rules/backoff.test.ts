import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, NOW } from '../../fixtures/note-states.ts'
import { areAttemptsUsedUp, backoffAfter, isDueAt, isPostponedByWrongClock, postpone, scheduled } from './backoff.ts'

const SIX_HOURS_MS = 6 * 60 * 60_000
const TEN_MINUTES_MS = 10 * 60_000

describe('the pause after attempts that did not settle a note', () => {
  it.each([
    [0, 1000],
    [1, 2000],
    [8, 256_000],
    [9, 300_000],
    [5000, 300_000],
  ])('is after %i attempts: %i ms', (attempts, pauseMs) => {
    expect(backoffAfter(attempts)).toBe(pauseMs)
  })
})

it('eight attempts are enough to accept a response that lags', () => {
  expect([7, 8, 9].map(areAttemptsUsedUp)).toEqual([false, true, true])
})

describe('a note that must be read', () => {
  it.each([
    ['keeps its due time', NOW + 9, NOW + 9],
    ['is due now, if it has no due time', null, NOW],
  ])('%s', (_, before, dueAt) => {
    expect(scheduled(aLiveNote({ readAfterSequence: 20, dueAt: before }), NOW).dueAt).toBe(dueAt)
  })

  it('is postponed by a failed request', () => {
    const { state } = postpone(aGoneNote({ readAfterSequence: 20, dueAt: NOW, failures: 1 }), NOW)
    expect(state).toMatchObject({ failures: 2, attempts: 0, dueAt: NOW + 4000, presence: 'gone' })
  })
})

it('a note that need not be read has no due time', () => {
  expect(scheduled(aLiveNote({ dueAt: NOW }), NOW)).toEqual(aLiveNote())
})

describe('when a note is due', () => {
  const latest = NOW + SIX_HOURS_MS + TEN_MINUTES_MS

  it.each([
    ['never', null, false],
    ['earlier', NOW - 1, true],
    ['now', NOW, true],
    ['later', NOW + 1, false],
    ['after the longest pause, by a clock that is ahead by ten minutes', latest, false],
    ['now, if a wrong clock wrote a time after that', latest + 1, true],
  ])('%s', (_, dueAt, isDue) => {
    expect(isDueAt(dueAt, NOW)).toBe(isDue)
  })

  it('a time after the longest pause was written by a wrong clock', () => {
    expect([latest, latest + 1].map((dueAt) => isPostponedByWrongClock(dueAt, NOW))).toEqual([false, true])
  })
})
