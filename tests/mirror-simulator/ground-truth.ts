import type { Note } from '@notewire/protocol'
import { noteSchema, readShape } from '@notewire/protocol/schemas'
import type { HistoryContext } from './history-context.ts'
import type { NoteModel } from './note-model.ts'
import type { Replica } from './replica.ts'

/** The notes that the key can see, read from the service without the simulated network. */
export interface GroundTruth {
  readonly records: ReadonlyMap<string, Note>
  /** Reads a transcript or summary; `undefined` if there is none. */
  content(note: NoteModel, part: 'transcript' | 'summary'): Promise<unknown>
}

/** Reads all notes from the service, or from a replica of it. */
export async function readGroundTruth({ world, scenario }: HistoryContext, replica?: Replica): Promise<GroundTruth> {
  const { service } = replica ?? world
  const [shortPages] = service.faults.rules
  service.faults.clear()
  const page = await ask('?limit=100')
  if (shortPages !== undefined) service.faults.inject(shortPages)
  const notes: readonly object[] =
    (page as Record<string, readonly object[]>)[scenario.contract.notesField ?? 'notes'] ?? []
  const records = new Map(
    notes.map((note) => readShape(noteSchema, note, 'the note')).map((note) => [note.note_id, note]),
  )
  return { records, content: (note, part) => ask(`/${note.id}/${part}`) }

  async function ask(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${world.key.key}` }
    const request = new Request(`${service.baseUrl}/v1/notes${path}`, { headers })
    const response = await (replica ?? service).fetch(request)
    return response.status === 200 ? await response.json() : undefined
  }
}
