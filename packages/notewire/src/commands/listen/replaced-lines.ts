import { createHash } from 'node:crypto'
import { isPublic } from './own-values.ts'

/**
 * The marks of replaced lines in a file in the format of `.env`. The old line stays as a comment above the new one:
 *
 * ```sh
 * # notewire listen 4711-2f1a90bc3d7e replaced: NOTES_SIGNING_SECRET=whsec_old
 * NOTES_SIGNING_SECRET=whsec_new
 * ```
 *
 * The mark contains the ID of the process and a digest of the new line. If several processes replaced the line, their comments follow each
 * other, the oldest one first. If a line is replaced, lines that are added get a mark, too: without an old line.
 */
const MARK = /^# notewire listen (\d{1,10})-([0-9a-f]{12}) replaced: (.*)$/

export interface Replacement {
  readonly text: string
  /** The names of the variables whose value was replaced or put back. */
  readonly names: readonly string[]
}

/** Sets variables. All other lines stay, and a line that had a value stays as a comment. */
export function setVariables(
  text: string,
  variables: readonly (readonly [string, string])[],
  pid: number,
): Replacement {
  const names: string[] = []
  const missing: string[] = []
  let after = text
  for (const [name, value] of variables) {
    let isPresent = false
    after = after.replace(assignmentOf(name), (old: string, beginning: string, previous: string) => {
      isPresent = true
      if (previous.trim() === value) return old
      const line = beginning + value
      if (previous.trim() === '' || isPublic(previous.trim())) return line
      names.push(name)
      return `${markOf(line, pid)}${old}\n${line}`
    })
    if (!isPresent) missing.push(`${name}=${value}`)
  }
  // With the old URL, the key of the mock service would be wrong.
  const added = missing.map((line) => `${names.length === 0 ? '' : `${markOf(line, pid)}\n`}${line}\n`)
  if (added.length > 0 && after !== '' && !after.endsWith('\n')) after += '\n'
  return { text: after + added.join(''), names: [...new Set(names)] }
}

function markOf(line: string, pid: number): string {
  return `# notewire listen ${pid}-${digestOf(line)} replaced: `
}

/**
 * Puts back the lines that some processes replaced, and removes those that they added. A line that was changed in the meantime stays, and so does the comment above it.
 *
 * @param isOver  whether the process with this ID has ended, or is ending
 */
export function putBack(text: string, isOver: (pid: number) => boolean): Replacement {
  const names: string[] = []
  const lines = text.split('\n')
  for (let index = lines.length - 2; index >= 0; index -= 1) {
    const [, pid, digest, old = ''] = MARK.exec(withoutReturn(lines[index])) ?? []
    if (pid === undefined || !isOver(Number(pid))) continue
    const next = lines[index + 1] ?? ''
    // The next line is the new one, or the comment of a later process that replaced it.
    const [, , , current = withoutReturn(next)] = MARK.exec(withoutReturn(next)) ?? []
    if (digestOf(current) !== digest) continue
    const restored = next.replace(current, () => old)
    lines.splice(index, 2, ...(withoutReturn(restored) === '' ? [] : [restored]))
    names.push(nameIn(old))
  }
  return { text: lines.join('\n'), names: [...new Set(names)].filter((name) => name !== '') }
}

function assignmentOf(name: string): RegExp {
  return new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)(.*)$`, 'gm')
}

function nameIn(line: string): string {
  const [name = ''] = line.replace(/^[ \t]*(?:export[ \t]+)?/, '').split('=', 1)
  return name.trimEnd()
}

function withoutReturn(line = ''): string {
  return line.replace(/\r$/, '')
}

function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex').slice(0, 12)
}
