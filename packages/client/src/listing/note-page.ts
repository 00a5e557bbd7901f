import { type Note, type NotePage, ShapeError } from '@notewire/protocol'
import {
  noteIdentitySchema,
  noteSchema,
  pageEndingSchema,
  readShape,
  readShapeWithDrift,
  type ShapeReading,
} from '@notewire/protocol/schemas'
import type { InvalidResponseError } from '../errors/notes-client-error.ts'

/** A page of the list of notes, as the client reads it. */
export interface ListedPage extends NotePage {
  /** The notes of the page that cannot be used. They exist: do not take them for deleted. */
  readonly leftOut: readonly LeftOutNote[]
}

/** A listed note that cannot be used, because its identifier or its revision is missing or of another type (open point 39). */
export interface LeftOutNote {
  /** `undefined` if the identifier is what cannot be used: the note may then be any note. */
  readonly note_id: string | undefined
  /** The error that names the field. It never quotes the note. */
  readonly error: InvalidResponseError
}

/** A page as it was parsed. */
interface ParsedPage extends NotePage {
  /** All notes of the page, in its order. */
  readonly readings: readonly ShapeReading<Note>[]
  readonly leftOut: readonly { readonly note_id: string | undefined; readonly problem: ShapeError }[]
}

/**
 * Reads one page of the list of notes (contract §4; open points 6 and 39). `has_more` decides whether another page follows. If it is absent,
 * `next_cursor` decides: a cursor leads to another page; `null` and `""` end the list. A note that cannot be used is left out.
 *
 * @param notesField  the field that holds the notes (open point 1)
 * @throws `ShapeError` also if another page follows, but there is no cursor, and if both fields are absent: ending the listing could lose notes
 */
export function parseNotePage(body: unknown, notesField: string): ParsedPage {
  if (typeof body !== 'object' || body === null) throw new ShapeError('', `${PAGE} should be an object.`)
  const notes = parseNotes(Reflect.get(body, notesField), notesField)
  const { next_cursor, has_more } = readShape(pageEndingSchema, body, PAGE)
  // Otherwise an unrelated body such as `{"notes": []}` would count as a complete list, and all copies as deleted.
  if (next_cursor === undefined && (has_more === undefined || has_more === null)) {
    throw new ShapeError(
      'has_more',
      `${PAGE} has neither "has_more" nor "next_cursor", so it does not show whether it is the last page. Check that the base URL is the address of the notes service.`,
    )
  }
  const cursor = next_cursor || null
  if (!(has_more ?? cursor !== null)) return { ...notes, next_cursor: null, has_more: false }
  if (cursor === null) {
    throw new ShapeError('next_cursor', `${PAGE} says that another page follows, but has no "next_cursor".`)
  }
  return { ...notes, next_cursor: cursor, has_more: true }
}

const PAGE = 'the page of notes'

function parseNotes(items: unknown, notesField: string): Pick<ParsedPage, 'notes' | 'readings' | 'leftOut'> {
  if (!Array.isArray(items)) {
    throw new ShapeError(
      notesField,
      `"${notesField}" should be an array. If the service uses another name for this field, pass that name as the option notesField.`,
    )
  }
  const notes: Note[] = []
  const leftOut: ParsedPage['leftOut'][number][] = []
  const readings = items.map((item: unknown, index) => {
    const reading = readShapeWithDrift(noteSchema, item, PAGE, `${notesField}[${index}]`)
    if (reading.status === 'read') notes.push(reading.value)
    else leftOut.push({ note_id: identifierIn(item), problem: reading.error })
    return reading
  })
  return { notes, readings, leftOut }
}

function identifierIn(item: unknown): string | undefined {
  return noteIdentitySchema.safeParse(item).data?.note_id
}
