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

/** The lines that the page says are printed, in their order. */
export function printedByReceivers(): RegExp {
  const blocks = blocksOfMarkdown(FILE, readFileSync(join(WORKSPACE, FILE), 'utf8'))
  const printed = blocks.find(({ language }) => language === 'text')
  if (printed === undefined) throw new Error(`${FILE} needs a block of text with what is printed`)
  return patternOf(printed.code)
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

/** `…` on the page stands for what differs from run to run. */
function patternOf(printed: string): RegExp {
  const literal = printed.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(literal.replaceAll('…', '\\S+').replaceAll('\n', '\\s+'))
}

function packagesIn(create: string): string[] {
  return [...create.matchAll(/^(?:npm install|bun add|deno add) (.+)$/gm)].flatMap(([, names = '']) =>
    names
      .split(' ')
      .filter((name) => !name.startsWith('-'))
      .map((name) => name.replace(/^npm:/, '')),
  )
}
