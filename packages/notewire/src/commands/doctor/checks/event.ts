import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { type Draft, group, must, should } from '../check.ts'
import { eventBody, type Fields } from '../delivery.ts'
import { unacceptedNoteEvent } from '../diagnosis.ts'

const KINDS = '§6, event kinds; open point 11'
const SHAPE = '§6, request body shape'

const IGNORE_UNKNOWN =
  'Ignore unknown fields and values, and treat fields that may be missing as optional. Allow additional properties in the schema (no additionalProperties: false, no extra="forbid" in Pydantic, no DisallowUnknownFields in Go, no strict() in Zod).'

const HOUR_MS = 3_600_000

export const eventChecks = group('Events', [
  ...NOTE_EVENT_KINDS.map((kind) =>
    must(`event.${kind}`, `a ${kind} event`, '§6, event kinds', {
      fix: 'Answer 2xx, whether you handle this kind or not. If the service answers 404 for the note, treat the note as deleted instead of failing.',
      accepts: events(kind, {}),
      diagnose: unacceptedNoteEvent,
    }),
  ),
  must('event.access-lost', 'a note.deleted event with the reason access_lost', '§6, delivery semantics 3', {
    fix: 'Handle access_lost exactly like a deletion: remove or block the stored copy, and answer 2xx.',
    requires: 'event.note.deleted',
    accepts: events('note.deleted', { reason: 'access_lost' }),
  }),
  must('event.endpoint-verification', 'an endpoint.verification event, with or without an ID', `§3; ${KINDS}`, {
    fix: 'Answer 2xx without reading data, whose fields are not specified. The endpoint stays pending until you do.',
    accepts: events('endpoint.verification', {}, { endpoint_id: undefined }),
  }),
  must('event.endpoint-test', 'an endpoint.test event, with or without an endpoint_id', KINDS, {
    fix: 'Answer 2xx without reading data, whose fields are not specified.',
    accepts: events('endpoint.test', {}, { endpoint_id: undefined }),
  }),
  must('event.unknown-kind', 'a kind of event that does not exist yet', 'open point 26', {
    fix: 'Answer 2xx in the default branch. The service retries an event that you reject for about a day, and disables the endpoint after enough failures.',
    accepts: () => [{}, { data: {} }].map((fields) => ({ body: eventBody('note.doctor_made_this_up', {}, fields) })),
  }),
  must('event.unknown-fields', 'an event with fields that do not exist yet', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    accepts: () => ({
      body: eventBody('note.updated', { doctor_field: 'x' }, { doctor_field: { deep: [1, 'x'] } }),
    }),
  }),
  must('event.unknown-status', 'an event with statuses that do not exist yet', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    accepts: events('note.updated', {
      transcript_status: 'doctored',
      summary_status: 'doctored',
    }),
  }),
  must('event.late', 'an event that occurred 27 h ago', '§8, retry delays', {
    fix: 'Compare only webhook-timestamp with the clock. The service retries for more than 26 h, so occurred_at may be that old.',
    requires: 'event.note.updated',
    accepts: () => ({
      body: eventBody('note.updated', {}, { occurred_at: new Date(Date.now() - 27 * HOUR_MS).toISOString() }),
    }),
  }),
  must('event.time-formats', 'an occurred_at with another number of decimals', SHAPE, {
    fix: 'Read occurred_at as ISO 8601 with any number of decimals, or do not read it.',
    requires: 'event.late',
    accepts: () =>
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678901Z'].map((occurred_at) => ({
        what: occurred_at,
        body: eventBody('note.updated', {}, { occurred_at }),
      })),
  }),
  should('event.revisions', 'a revision of 0 or above 2^31', '§2, note; open point 3', {
    fix: 'Store revisions as 64-bit integers (BIGINT), and distinguish 0 from a missing revision.',
    requires: 'event.note.updated',
    accepts: () =>
      [0, 2 ** 31, 2 ** 52].map((revision) => ({
        what: `revision ${revision}`,
        body: eventBody('note.updated', { revision }),
      })),
  }),
  should('event.deletion-without-revision', 'a note.deleted without a usable revision', `${SHAPE}; open point 38`, {
    fix: 'Read only note_id from a note.deleted, and remove or block the stored copy. If you reject it, you keep a note that you can no longer access.',
    requires: 'event.note.deleted',
    accepts: () =>
      [undefined, '7'].map((revision) => ({
        what: revision === undefined ? 'no revision' : 'a revision that is a string',
        body: eventBody('note.deleted', { revision }),
      })),
  }),
  should('event.null-reason', 'an event whose reason is null', `${SHAPE}; open point 12`, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    accepts: events('note.updated', { reason: null }),
  }),
  should('event.null-fields', 'an event with null in an optional field', `${SHAPE}; open point 31`, {
    fix: 'Treat null in a field that may be missing like a missing field: recording_session_id, transcript_status, summary_status and occurred_at.',
    requires: 'event.note.updated',
    accepts: () => [
      { what: 'recording_session_id', body: eventBody('note.ended', { recording_session_id: null }) },
      ...['transcript_status', 'summary_status'].map((field) => ({
        what: field,
        body: eventBody('note.updated', { [field]: null }),
      })),
      { what: 'occurred_at', body: eventBody('note.updated', {}, { occurred_at: null }) },
    ],
  }),
  should('event.bare', 'an event with only note_id and revision in data', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    accepts: events('note.updated', {
      transcript_status: undefined,
      summary_status: undefined,
    }),
  }),
  should('event.session-anywhere', 'a recording_session_id in another event than note.ended', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.summary.generated',
    accepts: events('note.summary.generated', {
      recording_session_id: 'doctor_session_anywhere',
    }),
  }),
])

/** One event for each set of fields of `data`. */
function events(kind: string, ...variants: readonly Fields[]): Draft {
  return () => variants.map((data) => ({ body: eventBody(kind, data) }))
}
