import type { NoteEvent } from '@notewire/protocol'
import type { Contract } from '../variants/contract-variants.ts'
import type { NoteRecord } from './note-record.ts'

/** What happened to a note, with what its event says beyond the note itself (contract §6). */
export type NoteHappening =
  | { readonly event_type: 'note.ended'; readonly recording_session_id: string }
  | { readonly event_type: 'note.summary.generated' }
  | { readonly event_type: 'note.updated' }
  | { readonly event_type: 'note.deleted'; readonly reason: 'deleted' | 'access_lost' }

interface Announcement {
  readonly happening: NoteHappening
  readonly note: NoteRecord
  readonly event_id: string
  readonly now: number
  readonly otherReasons: Contract['otherReasons']
}

/** The event that announces it: identifiers and statuses, never content. */
export function noteEventOf({ happening, note, event_id, now, otherReasons }: Announcement): NoteEvent {
  const occurred_at = new Date(now).toISOString()
  const { note_id, revision, transcript_status, summary_status } = note
  const about = { note_id, revision, transcript_status, summary_status }
  // Some services may say that there is no reason (open point 12).
  const data = { ...about, ...(otherReasons === 'null' ? { reason: null } : {}) }
  switch (happening.event_type) {
    case 'note.ended': {
      const { event_type, recording_session_id } = happening
      return { event_id, event_type, occurred_at, data: { ...data, recording_session_id } }
    }
    case 'note.deleted': {
      const { event_type, reason } = happening
      return { event_id, event_type, occurred_at, data: { ...about, reason } }
    }
    default:
      return { event_id, event_type: happening.event_type, occurred_at, data }
  }
}
