import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import ts from 'typescript'
import { WORKSPACE } from '../../scripts/run.ts'

interface Entry {
  /** How it is imported: `@notewire/webhooks/verify`. */
  readonly specifier: string
  readonly declarations: string
}

/** The packages that can be imported, by the names of their folders. */
export const packages: readonly string[] = globSync('packages/*', { cwd: WORKSPACE })
  .map((folder) => basename(folder))
  .filter((name) => entriesOf(name).length > 0)
  .sort()

/** Where the report of a package is kept. */
export function placeOf(name: string): string {
  return join(WORKSPACE, 'tests/api-reports', `${name}.api.md`)
}

/** What the built declarations of a package promise, as a text whose every change is a change of the promise. */
export function apiReport(name: string): string {
  const entries = entriesOf(name)
  const program = ts.createProgram(
    entries.map(({ declarations }) => declarations),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'], strict: true, noEmit: true },
  )
  const sections = entries.map(
    (entry) => `## ${entry.specifier}\n\n\`\`\`ts\n${promisesOf(name, entry, program)}\n\`\`\`\n`,
  )
  return `${HEADER}\n${sections.join('\n')}`
}

const HEADER = `<!-- Written by \`npm run fix\`. A difference that removes or narrows something is a breaking change. -->
`

function promisesOf(name: string, { declarations }: Entry, program: ts.Program): string {
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(declarations)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${declarations} is no module. Build the packages first: npm run build`)
  const exported = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return exported.map((symbol) => promiseOf(symbol, `@notewire/${name}`, checker)).join('\n\n')
}

const printer = ts.createPrinter({ removeComments: true })

function promiseOf(symbol: ts.Symbol, own: string, checker: ts.TypeChecker): string {
  const origin = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const texts = (origin.declarations ?? []).map((declaration) => {
    const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
    return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
  })
  const home = homeOf(origin)
  return home === own ? texts.map(normalised).join('\n') : `export { ${symbol.name} } from '${home}';`
}

/** The package that a symbol comes from. */
function homeOf(symbol: ts.Symbol): string | undefined {
  const path = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  const folder = /packages\/([^/]+)\/dist\//.exec(path)?.[1]
  return folder === undefined ? /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] : `@notewire/${folder}`
}

function normalised(text: string): string {
  return text
    .replace(/^(export )?(declare )?/, 'export ')
    .replaceAll(/^ {4,}/gm, (indent) => ' '.repeat(indent.length / 2))
}

function entriesOf(name: string): Entry[] {
  const manifest = JSON.parse(readFileSync(join(WORKSPACE, 'packages', name, 'package.json'), 'utf8'))
  return Object.entries<{ readonly types?: string }>(manifest.exports).flatMap(([path, { types }]) =>
    types === undefined
      ? []
      : [{ specifier: posix.join(manifest.name, path), declarations: join(WORKSPACE, 'packages', name, types) }],
  )
}
