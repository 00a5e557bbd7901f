import { expect, it } from 'vitest'
import { matcherOf, pageOf } from './log-page.ts'

const log = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const odd = (entry: number) => entry % 2 === 1

it('shows the newest matching entries first', () => {
  const page = pageOf(log, odd, { limit: 2 })
  expect(page).toEqual({ entries: [9, 7], total: 5, newer: 0, newerBefore: undefined, olderBefore: 7 })
})

it('leads through all entries to the oldest, and back', () => {
  const second = pageOf(log, odd, { limit: 2, before: 7 })
  expect(second).toEqual({ entries: [5, 3], total: 5, newer: 2, newerBefore: undefined, olderBefore: 3 })
  const third = pageOf(log, odd, { limit: 2, before: second.olderBefore })
  expect(third).toEqual({ entries: [1], total: 5, newer: 4, newerBefore: 7, olderBefore: undefined })
  expect(pageOf(log, odd, { limit: 2, before: third.newerBefore }).entries).toEqual([5, 3])
})

it('shows the same page after newer entries were added', () => {
  expect(pageOf([...log, 10, 11], odd, { limit: 2, before: 7 }).entries).toEqual([5, 3])
})

it('skips entries', () => {
  expect(pageOf(log, odd, { limit: 2, skip: 1 })).toMatchObject({ entries: [7, 5], newer: 1, olderBefore: 5 })
  expect(pageOf(log, odd, { limit: 2, skip: 9 })).toMatchObject({ entries: [], olderBefore: undefined })
})

it('shows nothing before an entry that is no longer in the log', () => {
  expect(pageOf(log, odd, { limit: 2, before: 0 })).toMatchObject({ entries: [], total: 5, newer: 5 })
})

it.each([
  [undefined, true],
  ['  ', true],
  ['note.ended', true],
  ['NOTE.ENDED 503', true],
  ['503 note.deleted', false],
])('searches the texts for %j', (search, expected) => {
  expect(matcherOf(search)(() => ['note.ended', undefined, 503])).toBe(expected)
})
