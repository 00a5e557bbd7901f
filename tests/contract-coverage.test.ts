import { expect, it } from 'vitest'
import { taggedTests } from './contract-coverage/tagged-tests.ts'

const SECTIONS = numbered('§', 9)
const ROWS = numbered('row ', 32)
/** Rows that the contract decides, or that have no alternative. */
const ROWS_WITHOUT_ALTERNATIVE = ['row 26', 'row 30']

const tests = taggedTests()

it.each(SECTIONS)('%s of the contract has a test', (section) => {
  expect(tests.filter(({ tags }) => tags.includes(section))).not.toEqual([])
})

it.each(ROWS)('the default and the alternative of %s have a test', (row) => {
  expect(tests.filter(({ tags }) => tags.includes(row))).not.toEqual([])
  if (ROWS_WITHOUT_ALTERNATIVE.includes(row)) return
  expect(tests.filter(({ alternatives }) => alternatives.includes(row))).not.toEqual([])
})

function numbered(prefix: string, most: number): readonly string[] {
  return Array.from({ length: most }, (_, index) => `${prefix}${index + 1}`)
}
