import type { Note } from '@notewire/protocol'
import type { ContentParts } from '../interfaces/note-write.ts'

/** A part of a note's content: its record with title and content, its transcript, its summary. */
export type ContentPart = 'note' | 'transcript' | 'summary'

/** Which parts a mirror keeps. */
export type KeptParts = ReadonlySet<ContentPart>

/** The record to store: complete, or only identifiers, statuses and times. */
export function keptRecord(note: Note, keep: KeptParts): Note {
  if (keep.has('note')) return note
  const { note_id, revision, status, transcript_status, summary_status, created_at, updated_at, ended_at, owner } = note
  return { note_id, revision, status, transcript_status, summary_status, created_at, updated_at, ended_at, owner }
}

/** Erases parts that are stored but no longer kept, because `keep` was changed. */
export function withoutUnkept(keep: KeptParts): Pick<ContentParts, 'transcript' | 'summary'> {
  return {
    ...(keep.has('transcript') ? {} : { transcript: null }),
    ...(keep.has('summary') ? {} : { summary: null }),
  }
}
