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

/** How many of the unusable notes of a page are described one by one: as many as the contract lets a page contain. */
const MAX_DESCRIBED = 100

/** A listed note that cannot be used, because its identifier or its revision is missing or of another type (open point 39). */
export interface LeftOutNote {
  /** `undefined` if the identifier is what cannot be used: the note may then be any note. */
  readonly note_id: string | undefined
  /**
   * The error that names the field. It never quotes the note. The notes after the first 100 of a page share one error, which says how many they
   * are.
   */
  readonly error: InvalidResponseError
}

/** A page as it was parsed. */
interface ParsedPage extends NotePage {
  /** The notes of the page, in its order, without the unusable notes after the first hundred. */
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
  const readings: ShapeReading<Note>[] = []
  const others: (string | undefined)[] = []
  for (const [index, item] of items.entries()) {
    const reading = readShapeWithDrift<Note>(noteSchema, item, PAGE, `${notesField}[${index}]`)
    if (reading.status === 'read') notes.push(reading.value)
    else if (leftOut.length < MAX_DESCRIBED) leftOut.push({ note_id: identifierIn(item), problem: reading.error })
    else {
      others.push(identifierIn(item))
      continue
    }
    readings.push(reading)
  }
  return { notes, readings, leftOut: [...leftOut, ...withSharedProblem(others, notesField)] }
}

function withSharedProblem(noteIds: readonly (string | undefined)[], notesField: string): ParsedPage['leftOut'] {
  if (noteIds.length === 0) return []
  const problem = new ShapeError(
    notesField,
    `${PAGE} does not match the contract: besides the ${MAX_DESCRIBED} notes that were reported before, ${noteIds.length} notes in "${notesField}" cannot be used.`,
  )
  return noteIds.map((note_id) => ({ note_id, problem }))
}

function identifierIn(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const reading = readShapeWithDrift(noteIdentitySchema, item, PAGE)
  return reading.status === 'read' ? reading.value.note_id : undefined
}
