import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { DOCS } from './contents.ts'
import { destinationOf } from './links.ts'

interface SiteUrls {
  /** The path of the site, such as `/`. */
  readonly base: string
  /** The URL of the repository, if it is known. */
  readonly repository: string | undefined
}

// Code blocks are matched, too, so that text that looks like a link in them is not changed.
const CODE_OR_LINK = /^ *(`{3,}).*?^ *\1$|(?<image>!?)\[(?<text>(?:`[^`]*`|[^`\]])*)\]\((?<href>[^)\s]+)\)/gms
const SECTIONS = /^(?=---\nurl: \S+\n)/m

/**
 * Rewrites the links in the Markdown copies of the pages, which are published for language models. The links are relative to files of
 * the repository, and the copy of `decisions/index.md` is `decisions.md`.
 */
export function fixCopies(outDir: string, urls: SiteUrls): void {
  for (const copy of globSync('**/*.md', { cwd: outDir })) {
    rewrite(join(outDir, copy), (text) => withLinks(text, sourceOf(copy), urls))
  }
  rewrite(join(outDir, 'llms-full.txt'), (text) =>
    text
      .split(SECTIONS)
      .map((section) => withLinks(section, sourceOf(pageOf(section, urls.base)), urls))
      .join(''),
  )
}

function withLinks(markdown: string, page: string, { base, repository }: SiteUrls): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole, ...rest) => {
    const { image, text, href }: { image?: string; text?: string; href?: string } = rest.at(-1)
    if (text === undefined || href === undefined || !isRelative(href)) return whole
    const inRepository = (path: string) =>
      repository === undefined ? text : `${image}[${text}](${repository}/blob/main/${path})`
    const target = posix.join(posix.dirname(page), href)
    // The build renames images, so the link leads to the repository.
    if (image === '!') return inRepository(`docs/${target}`)
    const destination = destinationOf(page, href)
    if (destination.kind === 'repository') return inRepository(destination.path)
    return `[${text}](${base}${destination.kind === 'site' ? destination.href.slice(1) : copyAt(target)})`
  })
}

function isRelative(href: string): boolean {
  return !/^([a-z][a-z+.-]*:|#|\/)/i.test(href)
}

/** The page of a copy: `decisions/index.md` for `decisions.md`. */
function sourceOf(copy: string): string {
  return existsSync(join(DOCS, copy)) ? copy : copy.replace(/\.md$/, '/index.md')
}

/** The copy of a page: `decisions.md` for `decisions/index.md`. */
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
