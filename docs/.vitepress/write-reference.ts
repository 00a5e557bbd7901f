import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { Application, Converter, type TypeDocOptions } from 'typedoc'
import { load as loadMarkdown } from 'typedoc-plugin-markdown'
import { fixAnchors } from './fix-anchors.ts'

// Usage: node write-reference.ts. Writes docs/reference/ as Markdown: one page for each entry, with its import specifier as the title.
const WORKSPACE = join(import.meta.dirname, '../..')
const READMES = 'docs/reference/packages'
const read = (file: string) => JSON.parse(readFileSync(join(WORKSPACE, file), 'utf8'))

// A package without a `typedoc.json` has no exports.
const packages = globSync('packages/*', { cwd: WORKSPACE }).filter((folder) =>
  existsSync(join(WORKSPACE, folder, 'typedoc.json')),
)
// A symbol that two entries export is described under the first of them, so protocol is first.
const protocolFirst = (a: string, b: string) =>
  Number(b.endsWith('protocol')) - Number(a.endsWith('protocol')) || a.localeCompare(b)
const entries = packages.sort(protocolFirst).flatMap(entriesOf)
// TypeDoc names a module by its path; the pages are named by import specifiers.
const specifiers = new Map(entries.map(({ source, specifier }) => [source.replace(/(\/index)?\.ts$/, ''), specifier]))

const { packageOptions, name, treatWarningsAsErrors, logLevel } = read('docs/.vitepress/typedoc.json')
const options: TypeDocOptions & MarkdownOptions = {
  ...packageOptions,
  name,
  treatWarningsAsErrors,
  logLevel,
  // One program for all packages, without tests, takes a tenth of the time of one program for each.
  tsconfig: join(import.meta.dirname, 'tsconfig.reference.json'),
  entryPoints: entries.map(({ source }) => join(WORKSPACE, 'packages', source)),
  out: join(WORKSPACE, 'docs/reference'),
  plugin: [loadMarkdown],
  readme: 'none',
  excludeExternals: true,
  groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables', '*'],
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  pageTitleTemplates: { index: 'Reference', module: '{name}' },
  useHTMLEncodedBrackets: true,
  sanitizeComments: true,
  entryFileName: 'index',
  excludeScopesInPaths: true,
}

const application = await Application.bootstrapWithPlugins(options)
application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) module.name = specifiers.get(module.name) ?? module.name
})
const project = await application.convert()
if (project !== undefined) await application.generateOutputs(project)
fixPages(join(WORKSPACE, 'docs/reference'))
mkdirSync(join(WORKSPACE, READMES), { recursive: true })
for (const folder of globSync('packages/*/README.md', { cwd: WORKSPACE }).map(dirname)) {
  writeFileSync(join(WORKSPACE, READMES, `${basename(folder)}.md`), readmeOf(folder))
}
if (project === undefined || application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1

/** The entries of a package: the path of the source below `packages/`, and the import specifier. */
function entriesOf(folder: string): { readonly source: string; readonly specifier: string }[] {
  const { name, exports } = read(join(folder, 'package.json'))
  return Object.entries<{ readonly '@notewire/source'?: string }>(exports).flatMap(([path, entry]) => {
    const source = entry['@notewire/source']
    return source === undefined
      ? []
      : [{ source: posix.join(basename(folder), source), specifier: posix.join(name, path) }]
  })
}

function fixPages(folder: string): void {
  const names = globSync('**/*.md', { cwd: folder })
  for (const [page, text] of fixAnchors(
    new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  )) {
    writeFileSync(join(folder, page), text)
  }
}

/** The README of a package, with links that are relative to its page. */
function readmeOf(folder: string): string {
  return readFileSync(join(WORKSPACE, folder, 'README.md'), 'utf8').replaceAll(
    /(?<=\]\()(?![a-z]+:|#)[^)\s]+(?=\))/g,
    (target) => posix.relative(READMES, posix.join(folder, target)),
  )
}

/** The options of typedoc-plugin-markdown, which the types of TypeDoc do not contain. */
interface MarkdownOptions {
  readonly hidePageHeader: boolean
  readonly hideBreadcrumbs: boolean
  readonly useCodeBlocks: boolean
  readonly parametersFormat: 'table'
  readonly interfacePropertiesFormat: 'table'
  readonly classPropertiesFormat: 'table'
  readonly typeAliasPropertiesFormat: 'table'
  readonly pageTitleTemplates: Readonly<Record<string, string>>
  readonly useHTMLEncodedBrackets: boolean
  readonly sanitizeComments: boolean
  readonly entryFileName: string
  readonly excludeScopesInPaths: boolean
}
