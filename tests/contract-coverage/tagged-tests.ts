import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'

/** A test whose title names a section of the contract (`§4`) or a row of the open points (`row 8`). */
export interface TaggedTest {
  /** From the root of the workspace. */
  readonly file: string
  /** The title without the tags at its end. */
  readonly title: string
  /** `§4`; `row 8` for the default of the row. */
  readonly tags: readonly string[]
  /** The rows whose alternative the test plays: those at the beginning of the title. */
  readonly alternatives: readonly string[]
}

const TITLE = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g
const TAGS = / \(((?:§\d|row \d+)(?:, (?:§\d|row \d+))*)\)$/
const ALTERNATIVES = /^rows? (\d+)(?: and (\d+))?\b/

/** All tagged tests, by file. A title may stand in a table of `it.each`. */
export function taggedTests(): readonly TaggedTest[] {
  return globSync(['packages/*/src/**/*.test.ts', 'tests/*.test.ts'], { cwd: WORKSPACE }).sort().flatMap(testsIn)
}

function testsIn(file: string): readonly TaggedTest[] {
  const source = readFileSync(join(WORKSPACE, file), 'utf8')
  return [...source.matchAll(TITLE)].flatMap(([, single, double]) => {
    const text = (single ?? double ?? '').replaceAll("\\'", "'")
    const tags = TAGS.exec(text)?.[1]?.split(', ') ?? []
    const [, ...rows] = ALTERNATIVES.exec(text) ?? []
    const alternatives = rows.flatMap((row) => (row === undefined ? [] : [`row ${row}`]))
    if (tags.length + alternatives.length === 0) return []
    return [{ file, title: text.replace(TAGS, ''), tags, alternatives }]
  })
}
