import { createHash } from 'node:crypto'
import type { Note } from '@notewire/protocol'

/** How many characters of a note's own are in its file's name: 40 bits. */
const SHORT_ID = 8

/** How many there are where that is not enough to tell two notes apart. */
export const LONG_ID = 32

/** Far below the 255 bytes, and the 143 of encrypted file systems, that a name may have. */
const MOST_BYTES = 96
const MOST_CHARACTERS = 60

/**
 * Names the file of a note: `2026-01-05-stand-up--4k2d9x0a.md`, by the day it was made, its title, and a digest of its id. It
 * depends on the note alone, so that every export of a note calls its file the same.
 *
 * The name is safe on every file system: it begins with the day, so that it is no device, no hidden file and no way to another
 * folder; it ends with the digest, so that names which differ in their letters' case or form alone differ there, too.
 */
export function fileNameOf({ note_id, title, created_at }: Note, idLength = SHORT_ID): string {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(created_at ?? '')?.[0] ?? 'undated'
  return `${day}-${slugOf(title ?? '')}--${digestOf(note_id).slice(0, idLength)}.md`
}

/** Tells whether a name is one that {@link fileNameOf} may have made. */
export function isFileName(name: string): boolean {
  return /^(?:\d{4}-\d{2}-\d{2}|undated)-[\p{L}\p{M}\p{N}-]+--[0-9a-z]{8,32}\.md$/u.test(name)
}

/** The letters and digits of a title, of any script, with hyphens between words. */
function slugOf(title: string): string {
  const plain = title.normalize('NFKC').replace(/['’]|\p{Variation_Selector}/gu, '')
  const words =
    plain
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []
  const slug = cut(words.join('-')).replace(/-+$/, '')
  return slug === '' ? 'untitled' : slug
}

function cut(text: string): string {
  let kept = ''
  let bytes = 0
  for (const character of [...text].slice(0, MOST_CHARACTERS)) {
    bytes += Buffer.byteLength(character)
    if (bytes > MOST_BYTES) break
    kept += character
  }
  return kept
}

/** Without letters that are taken for digits, and in one case, as some file systems know no other. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

function digestOf(noteId: string): string {
  return [...createHash('sha256').update(noteId).digest()].map((byte) => ALPHABET[byte % 32]).join('')
}
