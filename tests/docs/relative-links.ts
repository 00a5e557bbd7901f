import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { anchorOf } from '../../docs/.vitepress/links.ts'
import { WORKSPACE } from '../../scripts/run.ts'

const LINK = /\]\((?<target>[^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(?<reference>\S+)/gm
const CODE_BLOCK = /^```.*?^```/gms

/** The relative links of a Markdown file that lead to no file of the workspace, or to no heading of it. */
export function brokenLinks(file: string, text: string): string[] {
  return [...text.replaceAll(CODE_BLOCK, '').matchAll(LINK)]
    .map(({ groups }) => groups?.['target'] ?? groups?.['reference'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(file, target))
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const place = path === '' ? join(WORKSPACE, file) : resolve(WORKSPACE, dirname(file), decodeURI(path))
  if (relative(WORKSPACE, place).startsWith('..') || !existsSync(place)) return false
  return anchor === undefined || !place.endsWith('.md') || headingsOf(place).has(decodeURIComponent(anchor))
}

/** The anchors of a page. A heading that occurs again has a number after it. */
function headingsOf(place: string): ReadonlySet<string> {
  const text = readFileSync(place, 'utf8').replaceAll(CODE_BLOCK, '')
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let unique = anchor
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`
    anchors.add(unique)
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}
