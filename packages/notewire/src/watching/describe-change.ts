import type { MirrorChangeKind } from '@notewire/mirror'
import type { Format } from '../terminal/colour.ts'
import type { Output } from '../terminal/output.ts'
import { cut, printable } from '../terminal/width.ts'
import type { ShownChange } from './follow-changes.ts'

const WORDS: Readonly<Record<MirrorChangeKind, readonly [mark: string, word: string, format: Format]>> = {
  added: ['+', 'new', 'green'],
  restored: ['+', 'back', 'green'],
  content: ['~', 'changed', 'yellow'],
  hidden: ['-', 'hidden', 'red'],
  removed: ['-', 'removed', 'red'],
}
const LONGEST_WORD = Math.max(...Object.values(WORDS).map(([, word]) => word.length))

/** A change for a person, on one line. Of a note that is gone, nothing is left but its id. */
export function changeLine({ kind, noteId, note }: ShownChange, at: number, { paint, width }: Output): string {
  const [mark, word, format] = WORDS[kind]
  const time = new Date(at).toISOString().slice(11, 19)
  const what = note === undefined ? noteId : `${note.title ?? 'Untitled'}  ${noteId}`
  const head = `${time}  ${mark} ${word.padEnd(LONGEST_WORD)}  `
  return `${paint('dim', time)}  ${paint(format, `${mark} ${word.padEnd(LONGEST_WORD)}`)}  ${cut(printable(what), width - head.length)}`
}

/** A change for a program. */
export function changeRecord({ kind, noteId, note, revision, position }: ShownChange, at: number): object {
  return {
    at: new Date(at).toISOString(),
    change: kind,
    note_id: noteId,
    revision,
    title: note?.title,
    transcript_status: note?.transcript_status,
    summary_status: note?.summary_status,
    position,
  }
}
