import { type TaggedTest, taggedTests } from './tagged-tests.ts'

export const SECTIONS: readonly string[] = numbered('§', 9)
export const ROWS: readonly string[] = numbered('row ', 32)

/** The page that lists, for each section of the contract and each open point, the tests that show it: Markdown. */
export function coveragePage(): string {
  const tests = taggedTests()
  const sections = SECTIONS.map(
    (section) => `### ${section}\n\n${list(tests.filter(({ tags }) => tags.includes(section)))}`,
  )
  const rows = ROWS.map((row) => {
    const byDefault = tests.filter(({ tags }) => tags.includes(row))
    const otherwise = tests.filter(({ alternatives }) => alternatives.includes(row))
    return `### ${row[0]?.toUpperCase()}${row.slice(1)}\n\nThe default:\n\n${list(byDefault)}${otherwise.length === 0 ? '' : `\nThe alternative:\n\n${list(otherwise)}`}`
  })
  return `# Tests of the contract

\`npm run coverage:write\` generates this page from the titles of the tests: a title that ends with \`(§4, row 8)\` shows section 4 of the contract and
the default of open point 8, and a title that begins with \`row 8\` shows its alternative.

## The specification

${sections.join('\n')}
## What the specification leaves open

[The contract](../contract/README.md) numbers its open points. The mock server plays an alternative with \`createNotesService({ contract: { … } })\`.

${rows.join('\n')}`
}

function list(tests: readonly TaggedTest[]): string {
  return tests.map(({ file, title }) => `- [${escaped(title)}](../../${file})\n`).join('')
}

function escaped(text: string): string {
  return text.replace(/[|<>[\]]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function numbered(prefix: string, most: number): readonly string[] {
  return Array.from({ length: most }, (_, index) => `${prefix}${index + 1}`)
}
