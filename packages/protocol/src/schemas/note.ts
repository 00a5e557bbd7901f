import * as z from 'zod/mini'
import type { Note, RecordingSession } from '../note.ts'
import { adoptId } from './identifier-alias.ts'
import { revision } from './revision.ts'

/** The schema of a {@link Note}: liberal, because the contract does not show the full record. */
export const noteSchema: z.ZodMiniType<Note> = z.pipe(
  z.transform(adoptId('note_id')),
  z.looseObject({
    note_id: z.string().check(z.minLength(1)),
    revision,
    title: z.nullish(z.string()),
    content: z.nullish(z.string()),
    status: z.nullish(z.string()),
    transcript_status: z.nullish(z.string()),
    summary_status: z.nullish(z.string()),
    created_at: z.nullish(z.string()),
    updated_at: z.nullish(z.string()),
    ended_at: z.nullish(z.string()),
    deleted_at: z.nullish(z.string()),
    owner: z.nullish(z.looseObject({ type: z.string(), channel_id: z.nullish(z.string()) })),
  }),
)

/** The schema of a {@link RecordingSession}. */
export const recordingSessionSchema: z.ZodMiniType<RecordingSession> = z.looseObject({
  recording_session_id: z.string().check(z.minLength(1)),
})
