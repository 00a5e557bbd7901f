import { OPEN_POINTS } from './open-points.ts'
import { SECTIONS } from './sections.ts'
import type { Statement } from './statement.ts'

/** The page that shows every statement of the contract beside the tests that show it happening: Markdown. */
export function coveragePage(): string {
  return `# The contract, and what proves it

Generated from \`tests/contract-coverage/\` by \`npm run coverage:write\`. \`tests/contract-coverage.test.ts\` fails when a statement has no test, when a
test is no longer there, and when this page is not what it would write.

## The specification

${places(SECTIONS)}
## What the specification leaves open

Each row is played as [its default](../open-points.md), and otherwise by an option of \`createNotesService({ contract: { … } })\`.

${places(OPEN_POINTS)}`
}

/** Where a test is: its file, from the root of the workspace, and its title there. */
export function placeOf(test: string): { readonly file: string; readonly title: string } {
  const [path = '', title = ''] = test.split(' › ')
  const [folder = '', ...rest] = path.split('/')
  const ofWorkspace = ['tests', 'benchmarks'].includes(folder)
  return { file: ofWorkspace ? path : `packages/${folder}/src/${rest.join('/')}`, title }
}

function places(statements: readonly Statement[]): string {
  return [...Map.groupBy(statements, ({ at }) => at)]
    .map(([at, said]) => `### ${at}\n\n| statement | shown by |\n|---|---|\n${said.map(line).join('\n')}\n\n`)
    .join('')
}

function line({ says, shownBy }: Statement): string {
  const tests = shownBy.map((test) => {
    const { file, title } = placeOf(test)
    return `[${escaped(title)}](../../${file})`
  })
  return `| ${escaped(says)} | ${tests.join('<br>')} |`
}

function escaped(text: string): string {
  return text.replace(/[|<>[\]]/g, (character) => `&#${character.charCodeAt(0)};`)
}
