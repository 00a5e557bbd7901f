import {
  type ApiErrorBody,
  NOTE_EVENT_KINDS,
  type Note,
  type RecordingSession,
  type Summary,
  type Transcript,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '@notewire/protocol'
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

export function transcriptRecord(optional: OptionalField, optionalArray: OptionalField) {
  const segment = z.looseObject({
    speaker: optional(text),
    start_ms: optional(z.nullish(z.number())),
    end_ms: optional(z.nullish(z.number())),
    text: z.string(),
  })
  return z.looseObject({
    note_id: identifier,
    revision: z.nullish(revision),
    text: z.string(),
    segments: optionalArray(z.nullish(z.array(segment))),
  })
}

/**
 * The schema of a {@link Transcript} (contract §2; open point 9). It accepts `id` in place of `note_id`. An optional field of another type is
 * left out (open point 39), but the text of a segment is required.
 */
export const transcriptSchema: z.ZodMiniType<Transcript> = /* @__PURE__ */ tolerant((optional, optionalArray) =>
  identifiedBy('note_id', transcriptRecord(optional, optionalArray)),
)

export function summaryRecord(optional: OptionalField) {
  return z.looseObject({
    note_id: identifier,
    revision: z.nullish(revision),
    status: optional(summaryStatus),
    markdown: z._default(z.nullable(z.string()), null),
  })
}

/**
 * The schema of a {@link Summary} (contract §2; open point 10). It accepts `id` in place of `note_id`. An absent `markdown`
 * becomes `null`, and a `status` of another type is left out (open point 39).
 */
export const summarySchema: z.ZodMiniType<Summary> = /* @__PURE__ */ tolerant((optional) =>
  identifiedBy('note_id', summaryRecord(optional)),
)

const endpointFields = (optional: OptionalField) => ({
  endpoint_id: identifier,
  url: optional(text),
  events: optional(z.nullish(z.array(openEnum(NOTE_EVENT_KINDS)))),
  status: optional(z.nullish(openEnum(['pending_verification', 'active', 'disabled']))),
  created_at: optional(text),
})

export const endpointRecord = (optional: OptionalField) => z.looseObject(endpointFields(optional))
export const endpointRecordWithSecret = (optional: OptionalField) =>
  z.looseObject({ ...endpointFields(optional), signing_secret: identifier })

/**
 * The schema of a {@link WebhookEndpoint} (contract §2; open point 13). It accepts `id` in place of `endpoint_id`. An optional field of
 * another type is left out (open point 39).
 */
export const webhookEndpointSchema: z.ZodMiniType<WebhookEndpoint> = /* @__PURE__ */ tolerant((optional) =>
  identifiedBy('endpoint_id', endpointRecord(optional)),
)

/** The schema of a {@link WebhookEndpointWithSecret}: the answer to a creation or a rotation (contract §2). */
export const webhookEndpointWithSecretSchema: z.ZodMiniType<WebhookEndpointWithSecret> = /* @__PURE__ */ tolerant(
  (optional) => identifiedBy('endpoint_id', endpointRecordWithSecret(optional)),
)

/** The schema of an {@link ApiErrorBody} (open point 22). */
export const apiErrorBodySchema: z.ZodMiniType<ApiErrorBody> = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), scope: z.nullish(z.string()) }),
})
