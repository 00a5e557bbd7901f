import type { MirroredNote } from '@notewire/mirror'
import { wholeNumber } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { gapsIn } from '../local-copy/gaps.ts'
import { type Copy, readCopy } from '../local-copy/local-copy.ts'
import type { Output } from '../terminal/output.ts'
import { cut, printable } from '../terminal/width.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Finds notes in the local copy whose title, content, transcript or summary contains all words, the best match first. Case does not matter. It does not contact the service.',
    settings: ['database', 'integration'],
    examples: {
      'search quarterly budget': 'notes that contain both words',
      'search budget --json | jq -r .note_id': 'only their ids',
    },
    next: 'To see why a note is not found: notewire explain <note>. To get all notes as files: notewire export <folder>.',
  })
    .argument('<words...>', 'what to look for')
    .option('--limit <number>', 'how many notes at most', wholeNumber(1, 10_000), 20)
    .action(
      run((context, words, { limit }) => readCopy(context, (copy) => showHits(copy, words.join(' '), limit, context))),
    )

async function showHits({ mirror, file }: Copy, words: string, limit: number, { output }: Context): Promise<ExitCode> {
  const found = await mirror.search(words, limit)
  for (const [index, note] of found.entries()) {
    // Two columns are for the indentation, and two for the dots at both ends.
    const snippet = snippetOf(note, words, output.width - 4)
    await output.print(hitRecord(note, snippet), [...(index === 0 ? [] : ['']), ...hitLines(note, snippet, output)])
  }
  if (found.length === 0) output.tell('No note contains all of these words.')
  if (found.length === limit) output.tell(`There may be more. To show up to ${limit * 5}: --limit ${limit * 5}`)
  for (const gap of gapsIn(await mirror.status(), file)) output.warn(gap)
  return EXIT_CODES.done
}

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

function hitLines({ note }: MirroredNote, snippet: Snippet | undefined, { paint, width }: Output): readonly string[] {
  const day = note.created_at?.slice(0, 10) ?? '          '
  const title = cut(printable(note.title ?? 'Untitled'), width - day.length - 2)
  const lines = [`${paint('dim', printable(day))}  ${paint('bold', title)}`]
  if (snippet !== undefined && snippet.part !== 'title') {
    const { text, start, end } = snippet
    // Printed text has as many characters, so that the places stay.
    lines.push(`  ${text.slice(0, start)}${paint(['yellow', 'bold'], text.slice(start, end))}${text.slice(end)}`)
  }
  lines.push(`  ${paint('dim', printable(note.note_id))}`)
  return lines
}

/** A place in a note where one of the words occurs, with some text around it. */
interface Snippet {
  readonly part: 'title' | 'summary' | 'content' | 'transcript'
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * Finds the first occurrence of one of the words: in the summary, else in the content, the transcript or the title.
 *
 * @param width  the length of the text, in characters
 * @returns `undefined` if no word occurs as it was typed, because the index also finds other forms of a letter
 */
function snippetOf({ note, summary, transcript }: MirroredNote, words: string, width: number): Snippet | undefined {
  const wanted = wordPattern(words)
  if (wanted === undefined) return undefined
  const parts = [
    ['summary', summary?.markdown],
    ['content', note.content],
    ['transcript', transcript?.text],
    ['title', note.title],
  ] as const
  for (const [part, text] of parts) {
    const found = wanted.exec(text ?? '')
    if (text && found !== null) return { part, ...snippetAround(text, found.index, found[0].length, width) }
  }
  return undefined
}

const MAX_CHARACTERS = 10_000
const MAX_WORDS = 16

function wordPattern(words: string): RegExp | undefined {
  const typed = words.slice(0, MAX_CHARACTERS).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  // Each word takes time at each place of a text.
  const latestFirst = typed.map((word) => word.toLowerCase()).reverse()
  const wanted = [...new Set(latestFirst)].slice(0, MAX_WORDS).reverse()
  if (wanted.length === 0) return undefined
  // As in the index: a word ends at any character that is not a letter or a digit, and the last word may be a prefix.
  const patterns = wanted.with(-1, `${wanted.at(-1)}[\\p{L}\\p{M}\\p{N}]*`)
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
}

function snippetAround(text: string, index: number, length: number, width: number): Omit<Snippet, 'part'> {
  const before = Math.max(0, Math.floor((width - length) / 2))
  const begin = Math.max(0, index - before)
  const end = Math.min(text.length, begin + Math.max(width, length))
  const lead = begin > 0 ? '…' : ''
  // Slicing may leave half of a surrogate pair at either end.
  const shown = text.slice(begin, end).toWellFormed().replaceAll('\ufffd', ' ')
  const start = lead.length + index - begin
  return { text: `${lead}${shown}${end < text.length ? '…' : ''}`, start, end: start + length }
}
