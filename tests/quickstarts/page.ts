import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'
import { blocksOfMarkdown } from '../docs/code-blocks.ts'

/** What a page of `docs/quickstarts` has its reader type. */
export interface Quickstart {
  /** Creates the project, and leaves the shell in its folder. */
  readonly create: string
  /** Starts the mock of the notes service. */
  readonly listen: string
  /** Starts the receiver. */
  readonly start: string
  readonly files: readonly { readonly path: string; readonly code: string }[]
  /** The lines that the page says are printed, in their order. */
  readonly printed: RegExp
  /** The packages that the page installs. */
  readonly packages: readonly string[]
}

/** Reads a page, and puts `port` in the place of 3000. */
export function readQuickstart(name: string, port: number): Quickstart {
  const file = `docs/quickstarts/${name}.md`
  const text = readFileSync(join(WORKSPACE, file), 'utf8').replaceAll('3000', `${port}`)
  const blocks = blocksOfMarkdown(file, text)
  const of = (language: string) => blocks.filter((block) => block.language === language).map(({ code }) => code)
  const [create, listen, start, ...rest] = of('sh')
  const [printed] = of('text')
  if (create === undefined || listen === undefined || start === undefined || printed === undefined || rest.length > 0) {
    throw new Error(`${file} needs three blocks of sh, and one of text with what is printed`)
  }
  const files = of('ts').map((code) => {
    const path = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1]
    if (path === undefined) throw new Error(`${file} has a file that does not begin with its name`)
    return { path, code }
  })
  return { create, listen: listen.trim(), start, files, printed: patternOf(printed), packages: packagesIn(create) }
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
