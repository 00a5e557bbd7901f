import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** The links of a built site that name a part of a page which is not there, as `page -> link`. */
export function lostAnchors(folder: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder })
  const anchors = new Map(
    pages.map((page) => {
      const html = readFileSync(join(folder, page), 'utf8')
      return [page, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))] as const
    }),
  )
  return pages.flatMap((page) =>
    linksOf(folder, page)
      .filter(({ target, anchor }) => anchors.has(target) && !anchors.get(target)?.has(anchor))
      .map(({ href }) => `${page} -> ${href}`),
  )
}

function linksOf(folder: string, page: string): { href: string; target: string; anchor: string }[] {
  const html = readFileSync(join(folder, page), 'utf8')
  return [...html.matchAll(/<a [^>]*href="([^"#:]*)#([^"]+)"/g)].map(([, path = '', anchor = '']) => ({
    href: `${path}#${anchor}`,
    target: path === '' ? page : targetOf(page, path),
    anchor: decodeURIComponent(anchor),
  }))
}

function targetOf(page: string, path: string): string {
  const target = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path)
  return target === '' || target.endsWith('/') ? `${target}index.html` : target
}
