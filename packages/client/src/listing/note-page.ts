import { type NotePage, readNote, ShapeError } from '@notewire/protocol'
import { parseList } from './parse-list.ts'

/**
 * Reads one page of the list of notes and settles whether another one follows (contract §4; open point 6): `has_more`
 * decides, and where it is absent, the presence of a cursor.
 *
 * @param notesField  the field that holds the notes (open point 1)
 * @throws `ShapeError` also for a page that promises another one without a cursor to it: to stop there would lose notes
 */
export function parseNotePage(body: unknown, notesField: string): NotePage {
  if (typeof body !== 'object' || body === null) throw new ShapeError('', 'the page of notes should be object.')
  const fields = body as Readonly<Record<string, unknown>>
  const notes = parseNotes(fields[notesField], notesField)
  const cursor = parseCursor(fields['next_cursor'])
  const hasMore = parseHasMore(fields['has_more']) ?? cursor !== null
  if (!hasMore) return { notes, next_cursor: null, has_more: false }
  if (cursor === null) throw new ShapeError('next_cursor', 'the page has more after it and no cursor to it.')
  return { notes, next_cursor: cursor, has_more: true }
}

function parseNotes(notes: unknown, notesField: string): NotePage['notes'] {
  if (!Array.isArray(notes)) {
    throw new ShapeError(
      notesField,
      `"${notesField}" should be array. If the service names the field otherwise, say so with the option notesField.`,
    )
  }
  return parseList(notesField, notes, readNote)
}

function parseCursor(cursor: unknown): string | null {
  if (cursor === undefined || cursor === null || cursor === '') return null
  if (typeof cursor !== 'string') throw new ShapeError('next_cursor', '"next_cursor" should be string.')
  return cursor
}

function parseHasMore(hasMore: unknown): boolean | undefined {
  if (hasMore === undefined || hasMore === null) return undefined
  if (typeof hasMore !== 'boolean') throw new ShapeError('has_more', '"has_more" should be boolean.')
  return hasMore
}
