import { type NotePage, ShapeError } from '@notewire/protocol'
import { noteListSchema, pageEndingSchema, readShape } from '@notewire/protocol/schemas'

/**
 * Reads one page of the list of notes (contract §4; open point 6). `has_more` decides whether another page follows. If it is absent, the
 * presence of a cursor decides.
 *
 * @param notesField  the field that holds the notes (open point 1)
 * @throws `ShapeError` also if another page follows, but there is no cursor: ending the listing would lose notes
 */
export function parseNotePage(body: unknown, notesField: string): NotePage {
  if (typeof body !== 'object' || body === null) throw new ShapeError('', `${PAGE} should be an object.`)
  const notes = parseNotes(Reflect.get(body, notesField), notesField)
  const { next_cursor, has_more } = readShape(pageEndingSchema, body, PAGE)
  const cursor = next_cursor || null
  if (!(has_more ?? cursor !== null)) return { notes, next_cursor: null, has_more: false }
  if (cursor === null) {
    throw new ShapeError('next_cursor', `${PAGE} says that another page follows, but has no "next_cursor".`)
  }
  return { notes, next_cursor: cursor, has_more: true }
}

const PAGE = 'the page of notes'

function parseNotes(notes: unknown, notesField: string): NotePage['notes'] {
  if (Array.isArray(notes)) return readShape(noteListSchema, notes, PAGE, notesField)
  throw new ShapeError(
    notesField,
    `"${notesField}" should be an array. If the service uses another name for this field, pass that name as the option notesField.`,
  )
}
