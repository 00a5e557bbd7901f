import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { DOCS } from './contents.ts'
import { destinationOf } from './links.ts'

/** Where the copies are read: the `base` of the site, and the repository, when it is known. */
export interface Surroundings {
  readonly base: string
  readonly repository: string | undefined
}

// Blocks of code stay as they are: what looks like a link there is none.
const CODE_OR_LINK = /^ *(`{3,}).*?^ *\1$|(?<image>!?)\[(?<text>(?:`[^`]*`|[^`\]])*)\]\((?<href>[^)\s]+)\)/gms
const SECTIONS = /^(?=---\nurl: \S+\n)/m

/**
 * Leads the links of the Markdown that is published beside the pages, for language models, to where it is published: they were written
 * for the repository, and a page named after its folder (`decisions.md`) has moved.
 */
export function mendCopies(outDir: string, surroundings: Surroundings): void {
  for (const copy of globSync('**/*.md', { cwd: outDir })) {
    rewrite(join(outDir, copy), (text) => withLinks(text, sourceOf(copy), surroundings))
  }
  rewrite(join(outDir, 'llms-full.txt'), (text) =>
    text
      .split(SECTIONS)
      .map((section) => withLinks(section, sourceOf(pageOf(section, surroundings.base)), surroundings))
      .join(''),
  )
}

function withLinks(markdown: string, page: string, { base, repository }: Surroundings): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole, ...rest) => {
    const { image, text, href }: { image?: string; text?: string; href?: string } = rest.at(-1)
    if (text === undefined || href === undefined || !isRelative(href)) return whole
    const inRepository = (path: string) =>
      repository === undefined ? text : `${image}[${text}](${repository}/blob/main/${path})`
    const target = posix.join(posix.dirname(page), href)
    // Beside the pages, images have names that nobody knows before.
    if (image === '!') return inRepository(`docs/${target}`)
    const destination = destinationOf(page, href)
    if (destination.kind === 'repository') return inRepository(destination.path)
    return `[${text}](${base}${destination.kind === 'site' ? destination.href.slice(1) : copyAt(target)})`
  })
}

function isRelative(href: string): boolean {
  return !/^([a-z][a-z+.-]*:|#|\/)/i.test(href)
}

/** The page of which a copy is: `decisions/index.md` of `decisions.md`. */
function sourceOf(copy: string): string {
  return existsSync(join(DOCS, copy)) ? copy : copy.replace(/\.md$/, '/index.md')
}

/** Where the copy of a page is. */
function copyAt(target: string): string {
  return target.replace(/\/index\.md(?=#|$)/, '.md')
}

function pageOf(section: string, base: string): string {
  const url = /^---\nurl: (\S+)\n/.exec(section)?.[1] ?? 'index.md'
  return url.startsWith(base) ? url.slice(base.length) : url
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}
