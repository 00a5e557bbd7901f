import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'

const WORKSPACE = join(import.meta.dirname, '../..')

/** The destination of a relative link on the site. */
export type Destination =
  | { readonly kind: 'as written' }
  /** Another page, or a file that is published with the pages. */
  | { readonly kind: 'site'; readonly href: string }
  /** A file that is only in the repository, and its path there. */
  | { readonly kind: 'repository'; readonly path: string }

/**
 * Finds the destination of a link that is relative to a file of the repository.
 *
 * @param page  the path of its page below docs/, such as `receiving/stores.md`
 * @throws an error if the destination does not exist
 */
export function destinationOf(page: string, href: string): Destination {
  if (/^([a-z][a-z+.-]*:|#|\/)/i.test(href)) return { kind: 'as written' }
  const [target = '', anchor] = href.split('#')
  const path = posix.join('docs', posix.dirname(page), decodeURI(target)).replace(/\/$/, '')
  const published = publishedAs(path)
  if (published !== undefined) {
    return { kind: 'site', href: anchor === undefined ? published : `${published}#${anchor}` }
  }
  // VitePress rejects links to missing pages.
  if (path.startsWith('docs/') && path.endsWith('.md')) return { kind: 'as written' }
  if (!existsSync(join(WORKSPACE, path))) throw new Error(`docs/${page} links to ${href}, which does not exist.`)
  return path.startsWith('docs/') ? { kind: 'as written' } : { kind: 'repository', path }
}

/** The path on the site of a download, of the README of a package, or of its API reference. @returns `undefined` for other files */
function publishedAs(path: string): string | undefined {
  if (isDownload(path)) return path.slice('docs'.length)
  const reported = /^tests\/api-reports\/([^/]+)\.api\.md$/.exec(path)?.[1]
  if (reported !== undefined) return `/reference/${reported}.md`
  const name = /^packages\/([^/]+)(\/README\.md)?$/.exec(path)?.[1]
  const exists = name !== undefined && existsSync(join(WORKSPACE, 'packages', name, 'README.md'))
  return exists ? `/reference/packages/${name}.md` : undefined
}

function isDownload(path: string): boolean {
  return /^docs\/(contract\/[a-z]+\.json|operate\/[a-z]+\.(json|yaml))$/.test(path)
}

/** The anchor of a heading, as GitHub makes it, so that links work on GitHub and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
