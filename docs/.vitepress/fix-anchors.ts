import { posix } from 'node:path'
import { anchorOf } from './links.ts'

const NUMBERED_LINK = /\]\((?<path>[^)#\s]*)#(?<anchor>[^)\s]+?)(?<number>-\d+)\)/g

/**
 * Mends links to parts of pages. typedoc-plugin-markdown numbers the anchor of a type `MirrorStatus` where there is a method
 * `Mirror.status`, although no second heading has its name.
 *
 * @param pages  all pages by their path
 */
export function mendAnchors(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const anchors = new Map([...pages].map(([page, text]) => [page, anchorsOf(text)]))
  const mended = (page: string) => (link: string, path: string, anchor: string, number: string) => {
    const there = anchors.get(path === '' ? page : posix.join(posix.dirname(page), path))
    return there?.has(anchor) && !there.has(anchor + number) ? `](${path}#${anchor})` : link
  }
  return new Map([...pages].map(([page, text]) => [page, text.replaceAll(NUMBERED_LINK, mended(page))]))
}

function anchorsOf(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id))
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll('\\', ''))
    const times = [...anchors].filter((other) => other.replace(/-\d+$/, '') === anchor).length
    anchors.add(times === 0 ? anchor : `${anchor}-${times}`)
  }
  return anchors
}
