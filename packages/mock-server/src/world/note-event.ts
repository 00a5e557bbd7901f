import type { NoteEvent } from '@notewire/protocol'
import type { Contract } from '../variants/contract-variants.ts'
import { sentEvent } from '../variants/sent-event.ts'
import type { NoteRecord } from './note-record.ts'

/** A change of a note, with the event data that is not part of the note (contract §6). */
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
  readonly contract: Pick<Contract, 'otherReasons' | 'eventFields'>
}

/** The event of a change: identifiers and statuses, never content. */
export function noteEventOf(announcement: Announcement): NoteEvent {
  return sentEvent(wholeEventOf(announcement), announcement.contract)
}

function wholeEventOf({ happening, note, event_id, now, contract }: Announcement): NoteEvent {
  const occurred_at = new Date(now).toISOString()
  const { note_id, revision, transcript_status, summary_status } = note
  const about = { note_id, revision, transcript_status, summary_status }
  // A variant sends `reason: null` (open point 12).
  const data = { ...about, ...(contract.otherReasons === 'null' ? { reason: null } : {}) }
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
