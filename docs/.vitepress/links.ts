import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'

const WORKSPACE = join(import.meta.dirname, '../..')

/** Where a relative link of a page leads on the site. */
export type Destination =
  | { readonly kind: 'as written' }
  /** Another page, or a file that is published with the pages. */
  | { readonly kind: 'site'; readonly href: string }
  /** A file that only the repository has: its path from there. */
  | { readonly kind: 'repository'; readonly path: string }

/**
 * Finds where a link leads, which was written for the repository.
 *
 * @param page  the page that holds it, below docs/: `receiving/stores.md`
 * @throws an error when nothing is there
 */
export function destinationOf(page: string, href: string): Destination {
  if (/^([a-z][a-z+.-]*:|#|\/)/i.test(href)) return { kind: 'as written' }
  const [target = '', anchor] = href.split('#')
  const path = posix.join('docs', posix.dirname(page), decodeURI(target)).replace(/\/$/, '')
  const published = publishedAs(path)
  if (published !== undefined) {
    return { kind: 'site', href: anchor === undefined ? published : `${published}#${anchor}` }
  }
  // VitePress itself refuses links to pages that are not there.
  if (path.startsWith('docs/') && path.endsWith('.md')) return { kind: 'as written' }
  if (!existsSync(join(WORKSPACE, path))) throw new Error(`docs/${page} links to ${href}, and nothing is there.`)
  return path.startsWith('docs/') ? { kind: 'as written' } : { kind: 'repository', path }
}

/** Where a file outside of the pages is published with them, if it is: the README files of packages are pages too. */
function publishedAs(path: string): string | undefined {
  if (isDownload(path)) return path.slice('docs'.length)
  const name = /^packages\/([^/]+)(\/README\.md)?$/.exec(path)?.[1]
  const exists = name !== undefined && existsSync(join(WORKSPACE, 'packages', name, 'README.md'))
  return exists ? `/reference/packages/${name}.md` : undefined
}

function isDownload(path: string): boolean {
  return /^docs\/(contract\/[a-z]+\.json|operate\/[a-z]+\.(json|yaml))$/.test(path)
}

/** The anchor of a heading, as GitHub makes it, so that a link works there and here. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
