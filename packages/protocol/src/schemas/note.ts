import type { Note, RecordingSession } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, openEnum, revision, summaryStatus, text, transcriptStatus } from './fields.ts'

/** Only the identifier and the revision are required, because the contract does not show the full record. */
export const noteRecord = z.looseObject({
  note_id: identifier,
  revision,
  title: text,
  content: text,
  status: z.nullish(openEnum(['pending', 'ended', 'deleted'])),
  transcript_status: transcriptStatus,
  summary_status: summaryStatus,
  created_at: text,
  updated_at: text,
  ended_at: text,
  deleted_at: text,
  owner: z.nullish(z.looseObject({ type: openEnum(['personal', 'channel']), channel_id: text })),
})

/** The schema of a {@link Note} (contract §2; open points 2 to 4). It accepts `id` in place of `note_id`. */
export const noteSchema: z.ZodMiniType<Note> = identifiedBy('note_id', noteRecord)

/** The schema of a {@link RecordingSession}. */
export const recordingSessionSchema: z.ZodMiniType<RecordingSession> = z.looseObject({
  recording_session_id: identifier,
})

/** The schema of the notes of a page. The contract does not name the field that contains them (open point 1). */
export const noteListSchema: z.ZodMiniType<readonly Note[]> = z.array(noteSchema)

/** What a page of the list says about the next page (contract §4; open point 6). */
export interface PageEnding {
  readonly next_cursor?: string | null | undefined
  readonly has_more?: boolean | null | undefined
}

/** The schema of a {@link PageEnding}. */
export const pageEndingSchema: z.ZodMiniType<PageEnding> = z.looseObject({
  next_cursor: z.nullish(z.string()),
  has_more: z.nullish(z.boolean()),
})
