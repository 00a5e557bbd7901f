import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'

const LINK = /\]\((?<target>[^)\s]+)[^)]*\)|^\[[^\]]+\]:\s*(?<reference>\S+)/gm

/** The relative links of a Markdown text that lead nowhere. */
export function brokenLinks(file: string, text: string): string[] {
  return [...text.matchAll(LINK)]
    .map(({ groups }) => groups?.['target'] ?? groups?.['reference'] ?? '')
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .filter((target) => !existsSync(join(WORKSPACE, dirname(file), target.replace(/#.*/, ''))))
}
