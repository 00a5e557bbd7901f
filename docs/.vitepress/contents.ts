import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the pages. */
export const DOCS = join(import.meta.dirname, '..')

/** A part of the sidebar. */
interface Part {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

// The pages for each task, as paths or patterns below docs/.
const TASKS: Readonly<Record<string, readonly string[]>> = {
  Start: ['see-it-work.md', 'tutorial.md', 'quickstart.md', 'coding-agents.md', 'comparison.md'],
  'Receive webhooks': [
    'receiving.md',
    'receiving/frameworks.md',
    'receiving/verify-only.md',
    'receiving/note-handlers.md',
    'receiving/order-and-duplicates.md',
    'receiving/delivery-semantics.md',
    'receiving/stores.md',
    'receiving/your-own-store.md',
    'receiving/many-instances.md',
    'receiving/exactly-once.md',
    'receiving/queues.md',
    'receiving/many-integrations.md',
    'receiving/serverless.md',
    'receiving/observing.md',
    'receiving/rotating-secrets.md',
    'receiving/local-development.md',
    'receiving/migrating.md',
    'receiving/*.md',
  ],
  'Read notes': ['reading.md'],
  'Keep a copy': [
    'mirror/README.md',
    'mirror/new-transcripts.md',
    'mirror/consumers.md',
    'mirror/many-integrations.md',
    'mirror/applications.md',
    'mirror/stores.md',
    'mirror/guarantees.md',
    'mirror/*.md',
  ],
  'Run in production': ['operate.md', 'operate/opentelemetry.md', 'operate/*.md'],
  'From the terminal': [
    'command-line/getting-notes.md',
    'command-line/search.md',
    'command-line/export.md',
    'command-line/verify.md',
    'command-line/doctor.md',
    'command-line/other-languages.md',
    'command-line/*.md',
  ],
  'Test what you build': [
    'testing.md',
    'mock-server/as-a-program.md',
    'mock-server/console.md',
    'mock-server/other-languages.md',
    'mock-server/*.md',
  ],
  'Look something up': [
    'troubleshooting.md',
    'api-reference.md',
    'glossary.md',
    'contract/README.md',
    'what-may-differ.md',
    'versioning.md',
  ],
  Packages: ['reference/packages/*.md'],
}
const COLLAPSED: Readonly<Record<string, readonly string[]>> = {
  Reference: ['reference/*.md', 'reference/{client,mirror,mock-server,protocol,webhooks}/*.md'],
  Appendices: ['benchmarks.md'],
  'How it is built': ['architecture.md', 'decisions/index.md', 'decisions/*.md'],
}

/** The table of contents: every page once, under the first task that names it. */
export function tableOfContents(): readonly Part[] {
  const listed = new Set<string>(['index.md'])
  const pagesOf = (patterns: readonly string[]) => {
    const found = patterns.flatMap((pattern) => globSync(pattern, { cwd: DOCS }).sort())
    return [...new Set(found)].filter((page) => !listed.has(page) && listed.add(page))
  }
  const parts = [
    ...Object.entries(TASKS).map(([text, patterns]) => ({ text, pages: pagesOf(patterns) })),
    ...Object.entries(COLLAPSED).map(([text, patterns]) => ({
      text,
      pages: inReferenceOrder(pagesOf(patterns)),
      collapsed: true,
    })),
  ]
  return parts
    .filter(({ pages }) => pages.length > 0)
    .map(({ pages, ...part }) => ({
      ...part,
      items: pages.map((page) => ({ text: titleOf(page), link: linkTo(page) })),
    }))
}

/** The pages of docs/ that no task names. */
export function unlistedPages(): string[] {
  const listed = new Set(tableOfContents().flatMap(({ items }) => items.map(({ link }) => link)))
  return globSync('**/*.md', { cwd: DOCS }).filter((page) => page !== 'index.md' && !listed.has(linkTo(page)))
}

// The pages of the reference are sorted so that an entry follows its package.
function inReferenceOrder(pages: readonly string[]): readonly string[] {
  return pages.every((page) => page.startsWith('reference/'))
    ? pages.toSorted((a, b) => key(a).localeCompare(key(b)))
    : pages
}

function key(page: string): string {
  return page.replace(/\.md$/, '').replace('/index', '')
}

function linkTo(page: string): string {
  return `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`
}

/** The first heading of a page. */
function titleOf(page: string): string {
  const path = join(DOCS, page)
  const heading = existsSync(path) ? /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return (heading ?? page).replaceAll('`', '')
}
