import { NotesClient } from '@notewire/client'
import type { MirroredNote, MirrorReader } from '@notewire/mirror'

/** The notes that a mirror shows, by id. */
export async function copyOf(mirror: MirrorReader): Promise<ReadonlyMap<string, unknown>> {
  const notes = new Map<string, unknown>()
  for await (const { note, transcript, summary } of mirror.list())
    notes.set(note.note_id, { note, transcript, summary })
  return notes
}

/** The notes that a key can access, as the service returns them. */
export async function truthOf({ baseUrl, apiKey }: Access): Promise<ReadonlyMap<string, NoteWithContent>> {
  const client = new NotesClient({ baseUrl, apiKey })
  const notes = new Map<string, NoteWithContent>()
  for await (const { note, transcript, summary } of client.notes.listWithContent({ limit: 100 }, { concurrency: 8 })) {
    notes.set(note.note_id, {
      note,
      transcript: transcript.status === 'ready' ? transcript.transcript : null,
      summary: summary.status === 'ready' ? summary.summary : null,
    })
  }
  return notes
}

type NoteWithContent = Pick<MirroredNote, 'note' | 'transcript' | 'summary'>

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}
