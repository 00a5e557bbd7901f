import type { NoteEvent } from '@notewire/protocol'
import type { Contract } from '../variants/contract-variants.ts'
import { sentEvent } from '../variants/sent-fields.ts'
import type { NoteRecord } from './note.ts'

/** A change of a note, with the event data that is not part of the note (contract §6). */
export type NoteChange =
  | { readonly event_type: 'note.ended'; readonly recording_session_id: string }
  | { readonly event_type: 'note.summary.generated' | 'note.updated' }
  | { readonly event_type: 'note.deleted'; readonly reason: 'deleted' | 'access_lost' }

export function noteEventOf(
  { event_type, ...details }: NoteChange,
  { note_id, revision, transcript_status, summary_status }: NoteRecord,
  event_id: string,
  now: number,
  contract: Contract,
): NoteEvent {
  // A variant sends `reason: null` (open point 12).
  const nullReason = contract.otherReasons === 'null' ? { reason: null } : {}
  const data = { note_id, revision, transcript_status, summary_status, ...nullReason, ...details }
  return sentEvent({ event_id, event_type, occurred_at: new Date(now).toISOString(), data } as NoteEvent, contract)
}
