import { expect, it } from 'vitest'
import { matcherOf, pageOf } from './log-page.ts'

const log = [1, 2, 3, 4, 5, 6, 7, 8, 9]

function page(part: { readonly before?: string | undefined; readonly limit: number }, entries = log) {
  return pageOf(entries, String, (entry) => entry % 2 === 1, part)
}

it('shows the newest matching entries first', () => {
  const position = { total: 5, newer: 0, newer_before: undefined, older_before: '7' }
  expect(page({ limit: 2 })).toEqual({ entries: [9, 7], page: position })
})

it('leads through all entries to the oldest, and back', () => {
  const second = page({ limit: 2, before: '7' })
  expect(second).toEqual({
    entries: [5, 3],
    page: { total: 5, newer: 2, newer_before: undefined, older_before: '3' },
  })
  const third = page({ limit: 2, before: '3' })
  expect(third).toEqual({ entries: [1], page: { total: 5, newer: 4, newer_before: '7', older_before: undefined } })
})

it('shows the same page after newer entries were added', () => {
  expect(page({ limit: 2, before: '7' }, [...log, 10, 11])?.entries).toEqual([5, 3])
})

it('has no page before an entry that the log does not have', () => {
  expect(page({ limit: 2, before: '0' })).toBeUndefined()
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
