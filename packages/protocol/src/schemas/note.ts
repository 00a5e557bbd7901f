import type { Note, RecordingSession } from '@notewire/protocol'
import * as z from 'zod/mini'
import { identifiedBy, identifier, openEnum, revision, summaryStatus, text, transcriptStatus } from './fields.ts'
import { type OptionalField, tolerant } from './tolerated.ts'

/** Only the identifier and the revision are required, because the contract does not show the full record. */
export function noteRecord(optional: OptionalField) {
  return z.looseObject({
    note_id: identifier,
    revision,
    title: optional(text),
    content: optional(text),
    status: optional(z.nullish(openEnum(['pending', 'ended', 'deleted']))),
    transcript_status: optional(transcriptStatus),
    summary_status: optional(summaryStatus),
    created_at: optional(text),
    updated_at: optional(text),
    ended_at: optional(text),
    deleted_at: optional(text),
    owner: optional(z.nullish(z.looseObject({ type: openEnum(['personal', 'channel']), channel_id: optional(text) }))),
  })
}

/**
 * The schema of a {@link Note} (contract §2; open points 2 to 4). It accepts `id` in place of `note_id`. An optional field of another type is
 * left out (open point 39).
 */
export const noteSchema: z.ZodMiniType<Note> = /* @__PURE__ */ tolerant((optional) =>
  identifiedBy('note_id', noteRecord(optional)),
)

/** The schema of the identifier of a note, whatever else the value contains. */
export const noteIdentitySchema: z.ZodMiniType<Pick<Note, 'note_id'>> = /* @__PURE__ */ identifiedBy(
  'note_id',
  z.looseObject({ note_id: identifier }),
)

/** The schema of a {@link RecordingSession}. */
export const recordingSessionSchema: z.ZodMiniType<RecordingSession> = z.looseObject({
  recording_session_id: identifier,
})

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
