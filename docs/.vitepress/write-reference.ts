import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { Application, Converter, type TypeDocOptions } from 'typedoc'
import { load as loadMarkdown } from 'typedoc-plugin-markdown'
import { mendAnchors } from './mend-anchors.ts'

// Usage: node write-reference.ts. Writes docs/reference/ as Markdown: one page an entry, named as it is imported.
const WORKSPACE = join(import.meta.dirname, '../..')
const READMES = 'docs/reference/packages'
const read = (file: string) => JSON.parse(readFileSync(join(WORKSPACE, file), 'utf8'))

// A package without a `typedoc.json` has nothing to import.
const packages = globSync('packages/*', { cwd: WORKSPACE }).filter((folder) =>
  existsSync(join(WORKSPACE, folder, 'typedoc.json')),
)
// What two entries export is described under the first of them.
const byLevel = (a: string, b: string) =>
  Number(b.endsWith('protocol')) - Number(a.endsWith('protocol')) || a.localeCompare(b)
const entries = packages.sort(byLevel).flatMap(entriesOf)
// TypeDoc names a module by its path.
const specifiers = new Map(entries.map(({ source, specifier }) => [source.replace(/(\/index)?\.ts$/, ''), specifier]))

const { packageOptions, name, treatWarningsAsErrors, logLevel } = read('docs/.vitepress/typedoc.json')
const options: TypeDocOptions & MarkdownOptions = {
  ...packageOptions,
  name,
  treatWarningsAsErrors,
  logLevel,
  // All packages in one program, and without tests: a tenth of the time that each would take by itself.
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
mendPages(join(WORKSPACE, 'docs/reference'))
mkdirSync(join(WORKSPACE, READMES), { recursive: true })
for (const folder of globSync('packages/*/README.md', { cwd: WORKSPACE }).map(dirname)) {
  writeFileSync(join(WORKSPACE, READMES, `${basename(folder)}.md`), readmeOf(folder))
}
if (project === undefined || application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1

/** What a package exports: where its source is, below `packages/`, and how it is imported. */
function entriesOf(folder: string): { readonly source: string; readonly specifier: string }[] {
  const { name, exports } = read(join(folder, 'package.json'))
  return Object.entries<{ readonly '@notewire/source'?: string }>(exports).flatMap(([path, entry]) => {
    const source = entry['@notewire/source']
    return source === undefined
      ? []
      : [{ source: posix.join(basename(folder), source), specifier: posix.join(name, path) }]
  })
}

function mendPages(folder: string): void {
  const names = globSync('**/*.md', { cwd: folder })
  for (const [page, text] of mendAnchors(
    new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  )) {
    writeFileSync(join(folder, page), text)
  }
}

/** The README of a package, with its links written for where the page is. */
function readmeOf(folder: string): string {
  return readFileSync(join(WORKSPACE, folder, 'README.md'), 'utf8').replaceAll(
    /(?<=\]\()(?![a-z]+:|#)[^)\s]+(?=\))/g,
    (target) => posix.relative(READMES, posix.join(folder, target)),
  )
}

/** Options of the plugin, which the types of TypeDoc do not know. */
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
