import type { Note } from '@notewire/protocol'
import { noteSchema, readShape } from '@notewire/protocol/schemas'
import type { Stage } from './stage.ts'
import type { TrueNote } from './true-note.ts'

/** What the key can see, as the service itself says it, without any network between. */
export interface Truth {
  readonly records: ReadonlyMap<string, Note>
  /** A transcript or summary, as the service answers it: `undefined` when there is none. */
  content(note: TrueNote, part: 'transcript' | 'summary'): Promise<unknown>
}

/** Asks the service for everything. */
export async function askForTruth({ world, circumstances }: Stage, service = world.service): Promise<Truth> {
  const [shortPages] = service.faults.rules
  service.faults.clear()
  const page = await ask('?limit=100')
  if (shortPages !== undefined) service.faults.inject(shortPages)
  const notes: readonly object[] =
    (page as Record<string, readonly object[]>)[circumstances.contract.notesField ?? 'notes'] ?? []
  const records = new Map(
    notes.map((note) => readShape(noteSchema, note, 'the note')).map((note) => [note.note_id, note]),
  )
  return { records, content: (note, part) => ask(`/${note.id}/${part}`) }

  async function ask(path: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${world.key.key}` }
    const response = await service.fetch(new Request(`${service.baseUrl}/v1/notes${path}`, { headers }))
    return response.status === 200 ? await response.json() : undefined
  }
}
