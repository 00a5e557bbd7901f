import * as z from 'zod/mini'
import type { EventKind } from '../contract.ts'
import type { EventOf, UnknownEvent } from '../event.ts'
import { revision } from './revision.ts'

const envelopeFields = {
  event_id: z.string().check(z.minLength(1)),
  occurred_at: z.string(),
}

const noteEventFields = {
  note_id: z.string().check(z.minLength(1)),
  revision,
  recording_session_id: z.nullish(z.string()),
  transcript_status: z.nullish(z.string()),
  summary_status: z.nullish(z.string()),
}

// The contract does not show these payloads: a body without `data` is as good as one whose `data` is empty.
const emptyWhenAbsent = z.transform((data) => data ?? {})
const endpointEventData = z.pipe(emptyWhenAbsent, z.looseObject({ endpoint_id: z.nullish(z.string()) }))

/** The schema of each event kind of the contract (§6). */
export const eventSchemas: { readonly [Kind in EventKind]: z.ZodMiniType<EventOf<Kind>> } = {
  'note.ended': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('note.ended'),
    data: z.looseObject({ ...noteEventFields, recording_session_id: z.string().check(z.minLength(1)) }),
  }),
  'note.summary.generated': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('note.summary.generated'),
    data: z.looseObject(noteEventFields),
  }),
  'note.updated': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('note.updated'),
    data: z.looseObject(noteEventFields),
  }),
  'note.deleted': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('note.deleted'),
    data: z.looseObject({ ...noteEventFields, reason: z.nullish(z.string()) }),
  }),
  'endpoint.verification': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('endpoint.verification'),
    data: endpointEventData,
  }),
  'endpoint.test': z.looseObject({
    ...envelopeFields,
    event_type: z.literal('endpoint.test'),
    data: endpointEventData,
  }),
}

/** The schema of an event whose kind is not in the contract (open point 26). */
export const unknownEventSchema: z.ZodMiniType<UnknownEvent> = z.looseObject({
  event_id: z.string().check(z.minLength(1)),
  event_type: z.string().check(z.minLength(1)),
  occurred_at: z.pipe(
    z.transform((time) => time ?? ''),
    z.string(),
  ),
  data: z.pipe(emptyWhenAbsent, z.looseObject({})),
})
