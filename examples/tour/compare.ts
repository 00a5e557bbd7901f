import type { NotesClient } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import type { Note, Summary, Transcript } from '@notewire/protocol'

/** What the mirror and the service make of each other. */
export interface Comparison {
  readonly here: number
  readonly there: number
  /** How many fields were held against each other. */
  readonly fields: number
  /** One line for each note that is on one side only, and for each field that is not the same on both. */
  readonly differences: readonly string[]
}

/** Reads everything from the service again, and holds the mirror against it: note by note, field by field. */
export async function compareWithService(client: NotesClient, mirror: Mirror): Promise<Comparison> {
  const here = await notesOf(mirror)
  const there = await notesAt(client)
  const differences: string[] = []
  let fields = 0
  for (const [noteId, original] of there) {
    const copy = here.get(noteId)
    if (copy === undefined) differences.push(`${noteId} is missing here`)
    const paths = copy === undefined ? [] : new Set([...copy.keys(), ...original.keys()])
    for (const path of paths) {
      fields += 1
      if (copy?.get(path) !== original.get(path)) differences.push(`${noteId}: ${path} is not the same here`)
    }
  }
  for (const noteId of here.keys()) if (!there.has(noteId)) differences.push(`${noteId} is gone there`)
  return { here: here.size, there: there.size, fields, differences }
}

/** The fields of a note with its content, by their paths: `transcript.segments.3.speaker`. */
type Fields = ReadonlyMap<string, unknown>

async function notesOf(mirror: Mirror): Promise<ReadonlyMap<string, Fields>> {
  const notes = new Map<string, Fields>()
  for await (const { note, transcript, summary } of mirror.list()) {
    notes.set(note.note_id, fieldsOf(note, transcript, summary))
  }
  return notes
}

async function notesAt(client: NotesClient): Promise<ReadonlyMap<string, Fields>> {
  const notes = new Map<string, Fields>()
  for await (const { note, transcript, summary } of client.notes.listWithContent({ limit: 100 })) {
    const text = transcript.status === 'ready' ? transcript.transcript : null
    notes.set(note.note_id, fieldsOf(note, text, summary.status === 'ready' ? summary.summary : null))
  }
  return notes
}

function fieldsOf(note: Note, transcript: Transcript | null, summary: Summary | null): Fields {
  return new Map(leavesOf({ note, transcript, summary }, ''))
}

function* leavesOf(value: unknown, path: string): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) return yield [path, value]
  for (const [name, part] of Object.entries(value)) yield* leavesOf(part, path === '' ? name : `${path}.${name}`)
}
