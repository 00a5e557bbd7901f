import type { MirroredNote } from '@notewire/mirror'
import { EXIT_CODES } from '../exit-code.ts'
import { readCopy } from '../local-copy/open-copy.ts'
import { type Snippet, snippetOf } from '../searching/snippet.ts'
import { amount } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { cut, printable } from '../terminal/width.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand } from './command.ts'
import { option, several } from './declarations.ts'
import { text, wholeNumber } from './value-readers.ts'

const INDENT = '  '
/** The dots at both ends of a snippet. */
const DOTS = 2

/** `notewire search`. */
export const search = defineCommand({
  description:
    'Finds notes in the local copy in whose title, content, transcript or summary all words stand, the best match first. Words are whole words, in any case. It asks the service nothing.',
  arguments: { words: several('words', 'what to look for', text) },
  options: { limit: option('--limit <number>', 'how many at most', wholeNumber(1, 10_000), 20) },
  settings: ['database'],
  examples: [
    ['search quarterly budget', 'notes that have both words'],
    ['search budget --json | jq -r .note_id', 'their ids alone'],
  ],
  next: 'Why a note is not found: notewire explain <note>. All of them as files: notewire export <folder>.',
  run: ({ arguments: { words }, options: { limit }, output, ...surroundings }) => {
    if (words.length === 0)
      throw new UsageError('there is nothing to look for. Type some words: notewire search budget.')
    return readCopy(surroundings, async ({ mirror }) => {
      const phrase = words.join(' ')
      const found = await mirror.search(phrase, limit)
      for (const [index, note] of found.entries()) {
        const snippet = snippetOf(note, phrase, output.width - INDENT.length - DOTS)
        await output.print(hitRecord(note, snippet), `${index === 0 ? '' : '\n'}${hitLines(note, snippet, output)}`)
      }
      const { isBackfilled } = await mirror.status()
      if (found.length === 0) output.tell('No note has all of these words.')
      if (found.length === limit) output.tell(`\nThe best ${amount(limit, 'note')}. More: --limit ${limit * 5}`)
      if (!isBackfilled) output.warn('The first pull has not ended: there may be more. notewire pull')
      return EXIT_CODES.done
    })
  },
})

function hitRecord({ note, isSettled }: MirroredNote, snippet: Snippet | undefined): object {
  const { note_id, revision, title, created_at, updated_at } = note
  return {
    note_id,
    revision,
    title,
    created_at,
    updated_at,
    part: snippet?.part,
    snippet: snippet?.text,
    settled: isSettled,
  }
}

function hitLines({ note }: MirroredNote, snippet: Snippet | undefined, { paint, width }: Output): string {
  const day = note.created_at?.slice(0, 10) ?? '          '
  const title = cut(printable(note.title ?? 'Untitled'), width - day.length - 2)
  const lines = [`${paint('dim', printable(day))}  ${paint('bold', title)}`]
  if (snippet !== undefined && snippet.part !== 'title') {
    const { text, start, end } = snippet
    lines.push(`${INDENT}${text.slice(0, start)}${paint(['yellow', 'bold'], text.slice(start, end))}${text.slice(end)}`)
  }
  lines.push(`${INDENT}${paint('dim', printable(note.note_id))}`)
  return lines.join('\n')
}
