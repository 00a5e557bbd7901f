import { isDeepStrictEqual } from 'node:util'
import type { NotesClient } from '@notewire/client'
import { type CopiedNote, type NotesCopy, readContent } from './notes-copy.ts'

/** What the copy and the service make of each other. */
export interface Comparison {
  readonly here: number
  readonly there: number
  /** One line for each note that is not the same on both sides. */
  readonly differences: readonly string[]
}

/** Reads everything from the service again and holds the copy against it, field by field. */
export async function compareWithService(client: NotesClient, copy: NotesCopy): Promise<Comparison> {
  const there = new Map<string, CopiedNote>()
  for await (const note of client.notes.list({ limit: 100 })) there.set(note.note_id, await readContent(client, note))

  const differences: string[] = []
  for (const [noteId, original] of there) {
    const copied = copy.notes.get(noteId)
    if (copied === undefined) differences.push(`${noteId} is missing here`)
    else if (!isDeepStrictEqual(copied, original)) differences.push(`${noteId} is not the same here`)
  }
  for (const noteId of copy.notes.keys()) if (!there.has(noteId)) differences.push(`${noteId} is gone there`)
  return { here: copy.notes.size, there: there.size, differences }
}
