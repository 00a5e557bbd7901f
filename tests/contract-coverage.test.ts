import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'
import { OPEN_POINTS } from './contract-coverage/open-points.ts'
import { coveragePage, placeOf } from './contract-coverage/page.ts'
import { SECTIONS } from './contract-coverage/sections.ts'

/** The rows that have no other side: the contract decides them, or nothing else could be. */
const ROWS_WITHOUT_ANOTHER_SIDE = [26, 30]

describe('every statement of the contract', () => {
  it.each([...SECTIONS, ...OPEN_POINTS])('$at: $says', ({ shownBy }) => {
    expect(shownBy).not.toEqual([])
    for (const test of shownBy) expect(titlesIn(placeOf(test).file)).toContain(placeOf(test).title)
  })

  it('is there for sections 1 to 9, and for both sides of rows 1 to 30', () => {
    expect(new Set(SECTIONS.map(({ at }) => at.slice(0, 2)))).toEqual(
      new Set(numbers(9).map((section) => `§${section}`)),
    )
    const sides = OPEN_POINTS.map(({ at, says }) => `${at.split(':')[0]}: ${says}`)
    expect(sides).toEqual(
      numbers(30).flatMap((row) => [
        `Row ${row}: the default`,
        ...(ROWS_WITHOUT_ANOTHER_SIDE.includes(row) ? [] : [`Row ${row}: otherwise`]),
      ]),
    )
  })

  it('stands in docs/mock-server/coverage.md as it is here; npm run coverage:write writes it', () => {
    expect(readFileSync(join(WORKSPACE, 'docs/mock-server/coverage.md'), 'utf8')).toBe(coveragePage())
  })
})

/** Every text between quotation marks, among which are the titles of the tests. */
function titlesIn(file: string): readonly string[] {
  const source = readFileSync(join(WORKSPACE, file), 'utf8')
  return [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(([, one, two]) => one ?? two ?? '')
}

function numbers(most: number): readonly number[] {
  return Array.from({ length: most }, (_, index) => index + 1)
}
