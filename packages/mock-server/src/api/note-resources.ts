import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { NoteRecord } from '../world/note-record.ts'
import { ownerOf } from '../world/place.ts'
import { runningText, type SpokenLine, timed } from '../world/transcript.ts'

/** A note, or its tombstone, as the API shows it (open points 2 to 4). */
export function noteResource(note: NoteRecord): Note & { readonly id: string } {
  return {
    note_id: note.note_id,
    id: note.note_id,
    revision: note.revision,
    title: note.title,
    content: note.content,
    status: note.status,
    transcript_status: note.transcript_status,
    summary_status: note.summary_status,
    created_at: timestamp(note.created_at),
    updated_at: timestamp(note.updated_at),
    ended_at: note.ended_at === null ? null : timestamp(note.ended_at),
    deleted_at: note.deleted_at === null ? null : timestamp(note.deleted_at),
    owner: ownerOf(note.place),
  }
}

/** A transcript, as the API shows it (open point 9). */
export function transcriptResource({ note_id, revision }: NoteRecord, lines: readonly SpokenLine[]): Transcript {
  return { note_id, revision, text: runningText(lines), segments: timed(lines) }
}

/** A summary, ready or not, as the API shows it (open point 10). */
export function summaryResource({ note_id, revision, summary_status }: NoteRecord, markdown: string | null): Summary {
  return { note_id, revision, status: summary_status, markdown }
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}
