import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { ACCEPTED, accepts, group, must, passed, type Statement, sentencesOn, should } from '../check.ts'
import { eventBody, type Fields } from '../delivery.ts'
import { unacceptedNoteEvent } from '../diagnosis.ts'
import { describeExchange, isAccepted } from '../send.ts'

const KINDS = '§6, event kinds; open point 11'
const SHAPE = '§6, request body shape'

const IGNORE_UNKNOWN =
  'Ignore unknown fields and values, and treat fields that may be missing as optional. Allow additional properties in the schema (no additionalProperties: false, no extra="forbid" in Pydantic, no DisallowUnknownFields in Go, no strict() in Zod).'

const HOUR_MS = 3_600_000

export const eventChecks = group('Events', [
  ...NOTE_EVENT_KINDS.map((kind) =>
    must(`event.${kind}`, acceptsNoteEvent(kind), '§6, event kinds', {
      fix: 'Answer 2xx, whether you handle this kind or not. If the service answers 404 for the note, treat the note as deleted instead of failing.',
    }),
  ),
  must(
    'event.access-lost',
    acceptsEvents('a note.deleted event with the reason access_lost', 'note.deleted', { reason: 'access_lost' }),
    '§6, delivery semantics 3',
    {
      fix: 'Handle access_lost exactly like a deletion: remove or block the stored copy, and answer 2xx.',
      requires: 'event.note.deleted',
    },
  ),
  must(
    'event.endpoint-verification',
    acceptsEvents(
      'an endpoint.verification event, with or without an ID',
      'endpoint.verification',
      {},
      { endpoint_id: undefined },
    ),
    `§3; ${KINDS}`,
    {
      fix: 'Answer 2xx without reading data, whose fields are not specified. The endpoint stays pending until you do.',
    },
  ),
  must(
    'event.endpoint-test',
    acceptsEvents(
      'an endpoint.test event, with or without an endpoint_id',
      'endpoint.test',
      {},
      { endpoint_id: undefined },
    ),
    KINDS,
    {
      fix: 'Answer 2xx without reading data, whose fields are not specified.',
    },
  ),
  must(
    'event.unknown-kind',
    accepts('a kind of event that does not exist yet', () =>
      [{}, { data: {} }].map((fields) => ({ body: eventBody('note.doctor_made_this_up', {}, fields) })),
    ),
    'open point 26',
    {
      fix: 'Answer 2xx in the default branch. The service retries an event that you reject for about a day, and disables the endpoint after enough failures.',
    },
  ),
  must(
    'event.unknown-fields',
    accepts('an event with fields that do not exist yet', () => ({
      body: eventBody('note.updated', { doctor_field: 'x' }, { doctor_field: { deep: [1, null] } }),
    })),
    SHAPE,
    {
      fix: IGNORE_UNKNOWN,
      requires: 'event.note.updated',
    },
  ),
  must(
    'event.unknown-status',
    acceptsEvents('an event with statuses that do not exist yet', 'note.updated', {
      transcript_status: 'doctored',
      summary_status: 'doctored',
    }),
    SHAPE,
    {
      fix: IGNORE_UNKNOWN,
      requires: 'event.note.updated',
    },
  ),
  must(
    'event.late',
    accepts('an event that occurred 27 h ago', () => ({
      body: eventBody('note.updated', {}, { occurred_at: new Date(Date.now() - 27 * HOUR_MS).toISOString() }),
    })),
    '§8, retry delays',
    {
      fix: 'Compare only webhook-timestamp with the clock. The service retries for more than 26 h, so occurred_at may be that old.',
      requires: 'event.note.updated',
    },
  ),
  must(
    'event.time-formats',
    accepts('an occurred_at with another number of decimals', () =>
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678901Z'].map((occurred_at) => ({
        what: occurred_at,
        body: eventBody('note.updated', {}, { occurred_at }),
      })),
    ),
    SHAPE,
    {
      fix: 'Read occurred_at as ISO 8601 with any number of decimals, or do not read it.',
      requires: 'event.late',
    },
  ),
  should(
    'event.revisions',
    accepts('a revision of 0 or above 2^31', () =>
      [0, 2 ** 31, 2 ** 52].map((revision) => ({
        what: `revision ${revision}`,
        body: eventBody('note.updated', { revision }),
      })),
    ),
    '§2, note; open point 3',
    {
      fix: 'Store revisions as 64-bit integers (BIGINT), and distinguish 0 from a missing revision.',
      requires: 'event.note.updated',
    },
  ),
  should(
    'event.null-reason',
    acceptsEvents('an event whose reason is null', 'note.updated', { reason: null }),
    `${SHAPE}; open point 12`,
    {
      fix: IGNORE_UNKNOWN,
      requires: 'event.note.updated',
    },
  ),
  should(
    'event.bare',
    acceptsEvents('an event with only note_id and revision in data', 'note.updated', {
      transcript_status: undefined,
      summary_status: undefined,
    }),
    SHAPE,
    {
      fix: IGNORE_UNKNOWN,
      requires: 'event.note.updated',
    },
  ),
  should(
    'event.session-anywhere',
    acceptsEvents('a recording_session_id in another event than note.ended', 'note.summary.generated', {
      recording_session_id: 'doctor_session_anywhere',
    }),
    SHAPE,
    {
      fix: IGNORE_UNKNOWN,
      requires: 'event.note.summary.generated',
    },
  ),
])

function acceptsNoteEvent(kind: string): Statement {
  return {
    ...sentencesOn(`a ${kind} event`, ACCEPTED),
    run: async (examination) => {
      const exchange = await examination.deliver({ body: eventBody(kind) })
      if (isAccepted(exchange.reply)) return passed(describeExchange(exchange))
      return await unacceptedNoteEvent(examination, exchange)
    },
  }
}

/** Sends one event for each set of fields of `data`. */
function acceptsEvents(subject: string, kind: string, ...variants: readonly Fields[]): Statement {
  return accepts(subject, () => variants.map((data) => ({ body: eventBody(kind, data) })))
}
