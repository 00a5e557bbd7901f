import type { NoteEvent } from '@notewire/protocol'
import type { NoteRecord } from './note-record.ts'

/** What happened to a note, with what its event says beyond the note itself (contract §6). */
export type NoteHappening =
  | { readonly event_type: 'note.ended'; readonly recording_session_id: string }
  | { readonly event_type: 'note.summary.generated' }
  | { readonly event_type: 'note.updated' }
  | { readonly event_type: 'note.deleted'; readonly reason: 'deleted' | 'access_lost' }

/** The event that announces it: identifiers and statuses, never content. */
export function noteEventOf(happening: NoteHappening, note: NoteRecord, event_id: string, now: number): NoteEvent {
  const occurred_at = new Date(now).toISOString()
  const data = {
    note_id: note.note_id,
    revision: note.revision,
    transcript_status: note.transcript_status,
    summary_status: note.summary_status,
  }
  switch (happening.event_type) {
    case 'note.ended': {
      const { event_type, recording_session_id } = happening
      return { event_id, event_type, occurred_at, data: { ...data, recording_session_id } }
    }
    case 'note.deleted': {
      const { event_type, reason } = happening
      return { event_id, event_type, occurred_at, data: { ...data, reason } }
    }
    default:
      return { event_id, event_type: happening.event_type, occurred_at, data }
  }
}
