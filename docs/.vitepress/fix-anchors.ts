import { posix } from 'node:path'
import { anchorOf } from './links.ts'

const NUMBERED_LINK = /\]\((?<path>[^)#\s]*)#(?<anchor>[^)\s]+?)(?<number>-\d+)\)/g

/**
 * Fixes links to sections. typedoc-plugin-markdown adds a number to the anchor of a type `MirrorStatus` if there is a method
 * `Mirror.status`, although the headings have different names.
 *
 * @param pages  all pages by their path
 */
export function fixAnchors(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const anchors = new Map([...pages].map(([page, text]) => [page, anchorsOf(text)]))
  const fixed = (page: string) => (link: string, path: string, anchor: string, number: string) => {
    const existing = anchors.get(path === '' ? page : posix.join(posix.dirname(page), path))
    return existing?.has(anchor) && !existing.has(anchor + number) ? `](${path}#${anchor})` : link
  }
  return new Map([...pages].map(([page, text]) => [page, text.replaceAll(NUMBERED_LINK, fixed(page))]))
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
