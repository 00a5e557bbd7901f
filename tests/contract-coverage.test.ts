import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'
import { coveragePage, ROWS, SECTIONS } from './contract-coverage/page.ts'
import { taggedTests } from './contract-coverage/tagged-tests.ts'

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

it('docs/mock-server/coverage.md is up to date; npm run coverage:write writes it', () => {
  expect(readFileSync(join(WORKSPACE, 'docs/mock-server/coverage.md'), 'utf8')).toBe(coveragePage())
})
