import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const CODE = /^ *(`{3,}).*?^ *\1$/gms
const LINK = /(?<!!)\[(?:`[^`]*`|[^`\]])*\]\((?<href>[^)#\s]+)[^)]*\)/g

/** The links of a built site's Markdown, which language models read, to files that are not there, as `copy -> link`. */
export function lostFiles(folder: string): string[] {
  const copies = [...globSync('**/*.md', { cwd: folder }), 'llms.txt', 'llms-full.txt']
  return copies.flatMap((copy) =>
    [...readFileSync(join(folder, copy), 'utf8').replaceAll(CODE, '').matchAll(LINK)]
      .map(({ groups }) => groups?.['href'] ?? '')
      .filter((href) => !/^[a-z][a-z+.-]*:/i.test(href) && !existsSync(join(folder, targetOf(copy, href))))
      .map((href) => `${copy} -> ${href}`),
  )
}

function targetOf(copy: string, href: string): string {
  return href.startsWith('/') ? href.slice(1) : posix.join(posix.dirname(copy), href)
}
