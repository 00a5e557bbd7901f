import type { MirroredNote } from '@notewire/mirror'
import { printable } from '../terminal/width.ts'

/** Where a word stands in a note, with some text around it. */
export interface Snippet {
  readonly part: 'title' | 'summary' | 'content' | 'transcript'
  readonly text: string
  /** Where the word is in the text. */
  readonly start: number
  readonly end: number
}

/**
 * Finds the first place at which one of the words stands, in the part that says the most.
 *
 * @param width  how many characters it may have
 * @returns `undefined` when none stands there as it was typed: the index also finds other forms of a letter
 */
export function snippetOf(
  { note, summary, transcript }: MirroredNote,
  words: string,
  width: number,
): Snippet | undefined {
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
    if (text && found !== null) return { part, ...around(text, found.index, found[0].length, width) }
  }
  return undefined
}

function wordPattern(words: string): RegExp | undefined {
  const escaped = words.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  if (escaped.length === 0) return undefined
  // As the index cuts words: what is no letter and no digit ends one.
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'iu')
}

function around(text: string, index: number, length: number, width: number): Omit<Snippet, 'part'> {
  const before = Math.max(0, Math.floor((width - length) / 2))
  const begin = Math.max(0, index - before)
  const end = Math.min(text.length, begin + Math.max(width, length))
  const lead = begin > 0 ? '…' : ''
  // A half of a surrogate pair at an edge is none of anything.
  const shown = printable(text.slice(begin, end).toWellFormed().replaceAll('\ufffd', ' '))
  const start = lead.length + index - begin
  return { text: `${lead}${shown}${end < text.length ? '…' : ''}`, start, end: start + length }
}
