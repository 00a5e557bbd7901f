import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { accepts, group, must, passed, type RunCheck, should } from '../check.ts'
import { eventBody, type Fields } from '../delivery.ts'
import { unacceptedNoteEvent } from '../diagnosis.ts'
import { describeExchange, isAccepted } from '../send.ts'

const KINDS = '§6, event kinds; open point 11'
const SHAPE = '§6, request body shape'

const IGNORE_UNKNOWN =
  'Ignore unknown fields and values, and treat fields that may be missing as optional. Allow additional properties in the schema (no additionalProperties: false, no extra="forbid" in Pydantic, no strict() in Zod).'

export const eventChecks = group('Events', [
  ...NOTE_EVENT_KINDS.map((kind) =>
    must(`event.${kind}`, `${kind} is accepted (2xx)`, '§6, event kinds', {
      fix: 'Answer 2xx, whether you handle this kind or not. If the service answers 404 for the note, treat the note as deleted instead of failing.',
      run: acceptsNoteEvent(kind),
    }),
  ),
  must('event.access-lost', 'note.deleted with the reason access_lost is accepted (2xx)', '§6, delivery semantics 3', {
    fix: 'Handle access_lost exactly like a deletion: remove or block the stored copy, and answer 2xx.',
    requires: 'event.note.deleted',
    run: acceptsEvents('note.deleted', { reason: 'access_lost' }),
  }),
  must('event.endpoint-verification', 'endpoint.verification is accepted (2xx), also without an ID', `§3; ${KINDS}`, {
    fix: 'Answer 2xx without reading data, whose fields are not specified. The endpoint stays pending until you do.',
    run: acceptsEvents('endpoint.verification', {}, { endpoint_id: undefined }),
  }),
  must('event.endpoint-test', 'endpoint.test is accepted (2xx), also without an endpoint_id', KINDS, {
    fix: 'Answer 2xx without reading data, whose fields are not specified.',
    run: acceptsEvents('endpoint.test', {}, { endpoint_id: undefined }),
  }),
  must('event.unknown-kind', 'A kind of event that does not exist yet is accepted (2xx)', 'open point 26', {
    fix: 'Answer 2xx in the default branch. The service retries an event that you reject for about a day, and disables the endpoint after enough failures.',
    run: accepts(() =>
      [{}, { data: {} }].map((fields) => ({ body: eventBody('note.doctor_made_this_up', {}, fields) })),
    ),
  }),
  must('event.unknown-fields', 'An event with fields that do not exist yet is accepted (2xx)', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    run: accepts(() => ({
      body: eventBody('note.updated', { doctor_field: 'x' }, { doctor_field: { deep: [1, null] } }),
    })),
  }),
  must('event.unknown-status', 'An event with statuses that do not exist yet is accepted (2xx)', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    run: acceptsEvents('note.updated', { transcript_status: 'doctored', summary_status: 'doctored' }),
  }),
  should('event.null-reason', 'An event whose reason is null is accepted (2xx)', `${SHAPE}; open point 12`, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    run: acceptsEvents('note.updated', { reason: null }),
  }),
  should('event.bare', 'An event with only note_id and revision in data is accepted (2xx)', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.updated',
    run: acceptsEvents('note.updated', { transcript_status: undefined, summary_status: undefined }),
  }),
  should('event.session-anywhere', 'A recording_session_id in another event than note.ended is accepted (2xx)', SHAPE, {
    fix: IGNORE_UNKNOWN,
    requires: 'event.note.summary.generated',
    run: acceptsEvents('note.summary.generated', { recording_session_id: 'doctor_session_anywhere' }),
  }),
])

function acceptsNoteEvent(kind: string): RunCheck {
  return async (examination) => {
    const exchange = await examination.deliver({ body: eventBody(kind) })
    if (isAccepted(exchange.reply)) return passed(describeExchange(exchange))
    return await unacceptedNoteEvent(examination, exchange)
  }
}

/** Sends one event for each set of fields of `data`. */
function acceptsEvents(kind: string, ...variants: readonly Fields[]): RunCheck {
  return accepts(() => variants.map((data) => ({ body: eventBody(kind, data) })))
}
