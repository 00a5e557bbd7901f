import type { NotesClient } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import type { Note, Summary, Transcript } from '@notewire/protocol'

export interface Comparison {
  readonly inMirror: number
  readonly inService: number
  /** How many fields were compared. */
  readonly fields: number
  /** One line for each note that only one of them has, and for each field that differs. */
  readonly differences: readonly string[]
}

/** Reads all notes from the service again, and compares each field with the mirror. */
export async function compareWithService(client: NotesClient, mirror: Mirror): Promise<Comparison> {
  const inMirror = await notesOfMirror(mirror)
  const inService = await notesOfService(client)
  const differences: string[] = []
  let fields = 0
  for (const [noteId, original] of inService) {
    const copy = inMirror.get(noteId)
    if (copy === undefined) differences.push(`${noteId} is not in the mirror`)
    const paths = copy === undefined ? [] : new Set([...copy.keys(), ...original.keys()])
    for (const path of paths) {
      fields += 1
      if (copy?.get(path) !== original.get(path)) differences.push(`${noteId}: ${path} differs`)
    }
  }
  for (const noteId of inMirror.keys()) if (!inService.has(noteId)) differences.push(`${noteId} is not in the service`)
  return { inMirror: inMirror.size, inService: inService.size, fields, differences }
}

/** The fields of a note with its content, by their paths: `transcript.segments.3.speaker`. */
type Fields = ReadonlyMap<string, unknown>

async function notesOfMirror(mirror: Mirror): Promise<ReadonlyMap<string, Fields>> {
  const notes = new Map<string, Fields>()
  for await (const { note, transcript, summary } of mirror.list()) {
    notes.set(note.note_id, fieldsOf(note, transcript, summary))
  }
  return notes
}

async function notesOfService(client: NotesClient): Promise<ReadonlyMap<string, Fields>> {
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
