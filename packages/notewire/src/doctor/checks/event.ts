import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Check, CheckGroup } from '../check.ts'
import { isAccepted } from '../expectations.ts'
import { type EventTraits, madeUpEvent } from '../made-up-event.ts'

const SHAPE = '§6, request body shape'

const LET_UNKNOWN_PASS =
  'Acknowledge what you do not know and go on: a schema should let unknown fields and values pass (no additionalProperties: false, no strict()), and read what may be missing as optional.'

/** The kinds of events, and what they may hold (contract §6). */
export const event: CheckGroup = {
  title: 'Events',
  checks: [
    ...NOTE_EVENT_KINDS.map(
      (kind): Check => ({
        id: `event.${kind}`,
        title: `${kind} is acknowledged with a 2xx`,
        section: '§6, event kinds',
        severity: 'must',
        fix: 'Acknowledge it, handled or not. A note that the service does not know (404) is one that is gone: treat it as deleted, do not fail.',
        examine: accepts(kind),
      }),
    ),
    {
      id: 'event.access-lost',
      title: 'note.deleted with the reason access_lost is acknowledged',
      section: '§6, delivery semantics 3',
      severity: 'must',
      fix: 'Treat access_lost exactly like a deletion: remove or block the stored copy, and answer 2xx.',
      examine: accepts('note.deleted', { moreData: { reason: 'access_lost' } }),
    },
    {
      id: 'event.endpoint-verification',
      title: 'endpoint.verification is acknowledged, with and without an endpoint_id',
      section: '§3; §6, event kinds; open point 11',
      severity: 'must',
      fix: 'Answer 2xx without looking into data: the endpoint stays pending until you do, and the payload is not specified.',
      examine: accepts('endpoint.verification', {}, { data: {} }),
    },
    {
      id: 'event.endpoint-test',
      title: 'endpoint.test is acknowledged, with and without an endpoint_id',
      section: '§6, event kinds; open point 11',
      severity: 'must',
      fix: 'Answer 2xx without looking into data: the payload is not specified.',
      examine: accepts('endpoint.test', {}, { data: {} }),
    },
    {
      id: 'event.unknown-kind',
      title: 'A kind of event that does not exist yet is acknowledged',
      section: 'open point 26',
      severity: 'must',
      fix: 'Answer 2xx in the default branch: a kind that you refuse is repeated for a day, and enough failures disable the endpoint.',
      examine: accepts('note.doctor_made_this_up', {}, { data: {} }),
    },
    {
      id: 'event.unknown-fields',
      title: 'Fields that are not in the contract yet are let through',
      section: SHAPE,
      severity: 'must',
      fix: LET_UNKNOWN_PASS,
      examine: accepts('note.updated', {
        more: { doctor_field: { deep: [1, null] } },
        moreData: { doctor_field: 'x' },
      }),
    },
    {
      id: 'event.unknown-status',
      title: 'Statuses that are not in the contract yet are let through',
      section: SHAPE,
      severity: 'must',
      fix: LET_UNKNOWN_PASS,
      examine: accepts('note.updated', { moreData: { transcript_status: 'doctored', summary_status: 'doctored' } }),
    },
    {
      id: 'event.null-reason',
      title: 'An event whose reason is null is acknowledged',
      section: `${SHAPE}; open point 12`,
      severity: 'should',
      fix: LET_UNKNOWN_PASS,
      examine: accepts('note.updated', { moreData: { reason: null } }),
    },
    {
      id: 'event.bare',
      title: 'An event with note_id and revision alone is acknowledged',
      section: SHAPE,
      severity: 'should',
      fix: LET_UNKNOWN_PASS,
      examine: accepts('note.updated', {
        moreData: { transcript_status: undefined, summary_status: undefined },
      }),
    },
    {
      id: 'event.session-anywhere',
      title: 'A recording_session_id outside note.ended is let through',
      section: SHAPE,
      severity: 'should',
      fix: LET_UNKNOWN_PASS,
      examine: accepts('note.summary.generated', { moreData: { recording_session_id: 'doctor_session_anywhere' } }),
    },
  ],
}

function accepts(kind: string, ...variants: readonly EventTraits[]): Check['examine'] {
  return isAccepted(() =>
    (variants.length === 0 ? [{}] : variants).map((traits) => ({ body: JSON.stringify(madeUpEvent(kind, traits)) })),
  )
}
