import { createHash } from 'node:crypto'
import type { Note } from '@notewire/protocol'

/** The length of the digest of the note id in the file name: 40 bits. */
const SHORT_ID = 8

/** The length of the digest if the short one is not unique. */
export const LONG_ID = 32

/** The longest title in a name. File systems allow names of 255 bytes, encrypted file systems 143. */
const MAX_BYTES = 96
const MAX_CHARACTERS = 60

/**
 * Names the file of a note by its day, its title, and a digest of its id: `2026-01-05-stand-up--4k2d9x0a.md`. The name depends only
 * on the note, so that every export gives it the same name.
 *
 * The name is safe on every file system. It begins with the day, so that it never names a device, a hidden file or another folder.
 * It ends with the digest, so that notes whose titles differ only in case or normalization get different names.
 */
export function fileNameOf({ note_id, title, created_at }: Note, idLength = SHORT_ID): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(created_at ?? '')?.[0] ?? 'undated'
  return `${day}-${slugOf(title ?? '')}--${digestOf(note_id).slice(0, idLength)}.md`
}

const NAME = /^(?:\d{4}-\d{2}-\d{2}|undated)-[\p{L}\p{M}\p{N}-]+--([0-9a-z]{8}|[0-9a-z]{32})\.md$/u

/** Whether {@link fileNameOf} can have made a name, of any note. */
export function isFileName(name: string): boolean {
  return NAME.test(name)
}

/** Whether {@link fileNameOf} can have made a name of this note, with any title. */
export function isFileNameOf(noteId: string, name: string): boolean {
  const [, digest] = NAME.exec(name) ?? []
  return digest !== undefined && digestOf(noteId).startsWith(digest)
}

/** The letters and digits of a title, of any script, with hyphens between words. */
function slugOf(title: string): string {
  const plain = title.normalize('NFKC').replace(/['’]|\p{Variation_Selector}/gu, '')
  const words =
    plain
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const slug = cut(words.join('-')).replace(/(?<!-)-+$/, '')
  return slug === '' ? 'untitled' : slug
}

function cut(text: string): string {
  let kept = ''
  let bytes = 0
  for (const character of [...text].slice(0, MAX_CHARACTERS)) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_BYTES) break
    kept += character
  }
  return kept
}

/** Lower case, because some file systems ignore case; without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

function digestOf(noteId: string): string {
  return [...createHash('sha256').update(noteId).digest()].map((byte) => ALPHABET[byte % 32]).join('')
}
