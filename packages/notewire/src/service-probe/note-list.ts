import type { Wire, WireAnswer } from './wire.ts'
import { bodyOf, type Fields, fieldsOf, identifierIn, isDone } from './wire-shapes.ts'

/** A page of the list of notes, as it came. */
export interface WirePage {
  readonly answer: WireAnswer
  /** The field that holds the notes; `undefined` where none is a list. */
  readonly notesField: string | undefined
  readonly notes: readonly Fields[]
  readonly hasMore: boolean
  /** The cursor to the next page, where there is one. */
  readonly cursor: string | undefined
}

/** The names under which a note's identifier was seen (open point 2). */
const NOTE_IDENTIFIERS = ['note_id', 'id']

/** Asks for one page of the list; `undefined` when that is refused. */
export async function askForPage(wire: Wire, query: Readonly<Record<string, string>>): Promise<WirePage | undefined> {
  const answer = await wire.ask({ path: '/v1/notes', query })
  return isDone(answer) ? pageIn(answer) : undefined
}

/** Reads a page. */
export function pageIn(answer: WireAnswer): WirePage {
  const body = bodyOf(answer)
  const lists = Object.keys(body).filter((field) => Array.isArray(body[field]))
  const notesField =
    lists.find((field) => looksLikeNotes(body[field])) ?? (lists.includes('notes') ? 'notes' : lists[0])
  const listed: unknown = notesField === undefined ? [] : body[notesField]
  const cursor = body['next_cursor']
  const isCursor = typeof cursor === 'string' && cursor !== ''
  return {
    answer,
    notesField,
    notes: Array.isArray(listed) ? listed.map(fieldsOf) : [],
    hasMore: typeof body['has_more'] === 'boolean' ? body['has_more'] : isCursor,
    cursor: isCursor ? cursor : undefined,
  }
}

/** The pages of a listing, as many as are worth their requests. */
export async function askForPages(
  wire: Wire,
  query: Readonly<Record<string, string>>,
  mostPages: number,
): Promise<readonly WirePage[]> {
  const pages: WirePage[] = []
  let cursor: string | undefined
  while (pages.length < mostPages) {
    const page = await askForPage(wire, cursor === undefined ? query : { ...query, cursor })
    if (page === undefined) break
    pages.push(page)
    if (!page.hasMore || page.cursor === undefined || page.cursor === cursor) break
    cursor = page.cursor
  }
  return pages
}

/** The identifier of a note, under either name. */
export function noteIdOf(note: Fields): string | undefined {
  return identifierIn(note, NOTE_IDENTIFIERS)
}

/** Whether a note is a deletion marker (open point 4). */
export function isMarkedDeleted(note: Fields): boolean {
  return note['status'] === 'deleted' || typeof note['deleted_at'] === 'string'
}

function looksLikeNotes(list: unknown): boolean {
  return Array.isArray(list) && list.some((each) => noteIdOf(fieldsOf(each)) !== undefined)
}
