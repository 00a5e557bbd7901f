import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { blocksOfMarkdown } from '../docs/code-blocks.ts'

/** What a section of `docs/quickstart.md` has its reader type. */
export interface Quickstart {
  /** Creates the project, and leaves the shell in its folder. */
  readonly create: string
  /** Starts the mock of the notes service. */
  readonly listen: string
  /** Starts the receiver. */
  readonly start: string
  readonly files: readonly { readonly path: string; readonly code: string }[]
  /** The packages that the section installs. */
  readonly packages: readonly string[]
}

const FILE = 'docs/quickstart.md'

/** The sections of the page: the heading of a framework, and what follows it. */
export function quickstartSections(): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(join(WORKSPACE, FILE), 'utf8').split(/^## /m)
  return new Map(sections.map((section) => [section.split('\n', 1)[0] ?? '', section]))
}

/** The id of a note and its transcript, as receivers print them. */
const A_NOTE = /^note_\w{20} \w+: \S.*$/m

/** What receivers print, which the page shows an example of. */
export function printedByReceivers(): RegExp {
  const blocks = blocksOfMarkdown(FILE, readFileSync(join(WORKSPACE, FILE), 'utf8'))
  const example = blocks.find(({ language }) => language === 'text')?.code ?? ''
  if (!A_NOTE.test(example)) throw new Error(`${FILE} needs a block of text that matches ${A_NOTE}`)
  return A_NOTE
}

/** Reads a section, and puts `port` in the place of 3000. */
export function readQuickstart(name: string, port: number): Quickstart {
  const blocks = blocksOfMarkdown(FILE, (quickstartSections().get(name) ?? '').replaceAll('3000', `${port}`))
  const of = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code)
  const [create, listen, start, ...rest] = of('sh')
  if (create === undefined || listen === undefined || start === undefined || rest.length > 0) {
    throw new Error(`The section ${name} of ${FILE} needs three blocks of sh`)
  }
  const files = of('ts').map((code) => {
    const path = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1]
    if (path === undefined) throw new Error(`${name} has a file that does not begin with its name`)
    return { path, code }
  })
  return { create, listen: listen.trim(), start, files, packages: packagesIn(create) }
}

function packagesIn(create: string): string[] {
  return [...create.matchAll(/^(?:npm install|bun add|deno add) (.+)$/gm)].flatMap(([, names = '']) =>
    names
      .split(' ')
      .filter((name) => !name.startsWith('-'))
      .map((name) => name.replace(/^npm:/, '')),
  )
}
