import { asDefault, incompatible, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { Sample } from '../sample.ts'
import { type Fields, shownWord } from '../wire-shapes.ts'

const FIELD = { row: 1, title: 'field of the list that holds the notes' } as const
const IDENTIFIER = { row: 2, title: 'identifier of a note' } as const
const FIELDS = { row: 3, title: 'fields of a note' } as const
const TOMBSTONE = { row: 4, title: 'deletion markers' } as const

/** What the list shows of notes (open points 1 to 4). */
export function listPoints({ first, notes, tombstones }: Sample): readonly ProbedPoint[] {
  if (first === undefined) {
    return [FIELD, IDENTIFIER, FIELDS, TOMBSTONE].map((subject) => unseen(subject, 'the key may not list notes'))
  }
  return [notesField(first.notesField), identifier(notes), noteFields(notes), tombstone(tombstones, notes)]
}

function notesField(field: string | undefined): ProbedPoint {
  if (field === undefined) {
    return incompatible(
      FIELD,
      'no field of the answer is a list',
      'Check that the base URL is that of the notes service.',
    )
  }
  if (field === 'notes') return asDefault(FIELD, '"notes"')
  const seen = shownWord(field)
  return otherwise(FIELD, seen, `Set the client option notesField to ${seen}; for notewire itself, --notes-field.`, {
    notesField: field,
  })
}

function identifier(notes: readonly Fields[]): ProbedPoint {
  if (notes.length === 0) return unseen(IDENTIFIER, 'there is no note')
  const has = (name: string) => notes.every((note) => typeof note[name] === 'string')
  if (has('note_id') && has('id')) return asDefault(IDENTIFIER, 'both "note_id" and "id"')
  if (has('note_id')) {
    return otherwise(IDENTIFIER, '"note_id" alone', NOTHING_TO_DO, { noteIdentifier: 'note_id' })
  }
  return otherwise(IDENTIFIER, '"id" alone', `The client fills note_id. ${NOTHING_TO_DO}`, { noteIdentifier: 'id' })
}

const NOTHING_TO_DO = 'There is nothing to set.'

const KNOWN_FIELDS: Readonly<Record<string, readonly string[] | undefined>> = {
  note_id: undefined,
  id: undefined,
  revision: undefined,
  title: undefined,
  content: undefined,
  status: ['pending', 'ended', 'deleted'],
  transcript_status: ['pending', 'ready', 'empty', 'failed'],
  summary_status: ['pending', 'ready', 'missing', 'failed'],
  created_at: undefined,
  updated_at: undefined,
  ended_at: undefined,
  deleted_at: undefined,
  owner: undefined,
}

function noteFields(notes: readonly Fields[]): ProbedPoint {
  if (notes.length === 0) return unseen(FIELDS, 'there is no note')
  if (!notes.every(({ revision }) => Number.isSafeInteger(revision))) {
    const advice = 'The contract requires it (§2), and the client refuses notes without it.'
    return incompatible(FIELDS, 'a note has no whole number as its "revision"', advice)
  }
  const strange = strangersIn(notes)
  if (strange.length > 0) {
    const advice = 'They are passed on as they came; the hook onDrift tells of each once.'
    return otherwise(FIELDS, `not known to this version: ${strange.join(', ')}`, advice, { noteFields: 'unfamiliar' })
  }
  const there = new Set(notes.flatMap((note) => Object.keys(note)))
  const missing = Object.keys(KNOWN_FIELDS).filter(
    (field) => field !== 'id' && field !== 'note_id' && !there.has(field),
  )
  if (missing.length === 0) return asDefault(FIELDS, 'all that Notewire knows, and no other')
  const onlyRequired = missing.length === Object.keys(KNOWN_FIELDS).length - 3
  const advice = missing.includes('updated_at')
    ? 'Content is read to find out whether it is ready. Without updated_at, syncs rest on the header Date of the answers.'
    : 'They are optional. There is nothing to set.'
  return otherwise(FIELDS, `without ${missing.join(', ')}`, advice, onlyRequired ? { noteFields: 'required' } : {})
}

/** The fields and values that this version does not know, by name; of a value that is no plain word, its field alone. */
function strangersIn(notes: readonly Fields[]): readonly string[] {
  const strangers = new Set<string>()
  for (const [field, value] of notes.flatMap((note) => Object.entries(note))) {
    if (!Object.hasOwn(KNOWN_FIELDS, field)) strangers.add(shownWord(field))
    else if (typeof value === 'string' && KNOWN_FIELDS[field]?.includes(value) === false) {
      strangers.add(`${field} ${shownWord(value)}`)
    }
  }
  return [...strangers].sort()
}

function tombstone(tombstones: readonly Fields[], notes: readonly Fields[]): ProbedPoint {
  if (tombstones.length === 0) {
    return unseen(
      TOMBSTONE,
      'none was listed with include_deleted=true: no note was deleted, or the service lists none',
    )
  }
  if (fieldsBeyondMarker(tombstones).length === 0) {
    // Where notes have no other fields either, that is no peculiarity of the markers.
    const contract = fieldsBeyondMarker(notes).length === 0 ? {} : ({ tombstone: 'marker' } as const)
    const advice = 'That is enough to delete a copy. There is nothing to set.'
    return otherwise(TOMBSTONE, 'identifier, revision and status alone', advice, contract)
  }
  const content = tombstones.some(({ title, content }) => holdsText(title) || holdsText(content))
  const emptied = content ? '; title or content is still in it' : ', emptied'
  return asDefault(TOMBSTONE, `the whole record, with its status "deleted"${emptied}`)
}

function fieldsBeyondMarker(notes: readonly Fields[]): readonly string[] {
  const fields = notes.flatMap((note) => Object.keys(note))
  return fields.filter((field) => !['note_id', 'id', 'revision', 'status'].includes(field))
}

function holdsText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
