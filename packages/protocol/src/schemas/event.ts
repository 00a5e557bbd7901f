import {
  type EventKind,
  type EventOf,
  isIdentifier,
  type UnknownEvent,
  type UnknownEventKind,
} from '@notewire/protocol'
import * as z from 'zod/mini'
import {
  AN_IDENTIFIER,
  eventIdentifier,
  extended,
  NOT_EMPTY,
  openEnum,
  revision,
  summaryStatus,
  text,
  transcriptStatus,
} from './fields.ts'
import { allTolerated, objectOrEmpty, tolerated } from './tolerated.ts'
import { compiledObject } from './zod-internals.ts'

const aboutNote = {
  recording_session_id: z.nullish(eventIdentifier),
  transcript_status: transcriptStatus,
  summary_status: summaryStatus,
}
const ended = extended(aboutNote, { recording_session_id: eventIdentifier })
// The contract says that a deletion has a revision. It is tolerated, because a removal must get through without one (open point 38).
const deleted = extended(aboutNote, { revision, reason: z.nullish(openEnum(['deleted', 'access_lost'])) })
const identified = { note_id: eventIdentifier }
const revised = { note_id: eventIdentifier, revision }
const aboutEndpoint = { endpoint_id: text }
// In an event of an unknown kind, `note_id` may have any type. A string is treated as the identifier of a note, so stores must be able to keep it.
const aboutAnything = {
  note_id: z.optional(
    /* @__PURE__ */ z
      .unknown()
      .check(z.refine((noteId) => typeof noteId !== 'string' || isIdentifier(noteId), AN_IDENTIFIER)),
  ),
}
// Not `identifier`: `z.minLength` would add 0.3 kB to the bundle of a receiver.
const notEmpty = /* @__PURE__ */ z.string().check(z.refine((kind) => kind !== '', NOT_EMPTY))
// zod cannot express the type of a string that is not a known kind.
const unknownKind = notEmpty as unknown as z.ZodMiniType<UnknownEventKind>

/** Each event kind of the contract (§6), in two schemas: see {@link eventOf}. */
export const knownEvents = {
  'note.ended': eventOf(z.literal('note.ended'), noteData(revised, ended)),
  'note.summary.generated': eventOf(z.literal('note.summary.generated'), noteData(revised, aboutNote)),
  'note.updated': eventOf(z.literal('note.updated'), noteData(revised, aboutNote)),
  'note.deleted': eventOf(z.literal('note.deleted'), noteData(identified, deleted)),
  'endpoint.verification': eventOf(z.literal('endpoint.verification'), anyData(aboutEndpoint)),
  'endpoint.test': eventOf(z.literal('endpoint.test'), anyData(aboutEndpoint)),
}

export const unknownEvent = eventOf(unknownKind, anyData(aboutAnything))

// Inside functions, because a bundler treats reading a property outside a function as a side effect.

/** The schema of each event kind of the contract (§6). An optional field that does not match is left out (open points 31 and 38). */
export const eventSchemas: { readonly [Kind in EventKind]: z.ZodMiniType<EventOf<Kind>> } = /* @__PURE__ */ (() => ({
  'note.ended': knownEvents['note.ended'].tolerant,
  'note.summary.generated': knownEvents['note.summary.generated'].tolerant,
  'note.updated': knownEvents['note.updated'].tolerant,
  'note.deleted': knownEvents['note.deleted'].tolerant,
  'endpoint.verification': knownEvents['endpoint.verification'].tolerant,
  'endpoint.test': knownEvents['endpoint.test'].tolerant,
}))()

/** The schema of an event whose kind is not in the contract (open point 26). */
export const unknownEventSchema: z.ZodMiniType<UnknownEvent> = /* @__PURE__ */ (() => unknownEvent.tolerant)()

type Fields = Readonly<Record<string, z.ZodMiniType>>

/**
 * Two schemas of an event: `contract` accepts what the contract says, and `tolerant` accepts every event that can be processed.
 *
 * @__NO_SIDE_EFFECTS__
 */
function eventOf<Kind extends z.ZodMiniType<string>, Contract extends z.ZodMiniType, Tolerant extends z.ZodMiniType>(
  kind: Kind,
  data: { readonly contract: Contract; readonly tolerant: Tolerant },
) {
  const required = { event_id: eventIdentifier, event_type: kind }
  const occurredAt = z.string()
  return {
    contract: compiledObject({ ...required, occurred_at: occurredAt, data: data.contract }),
    tolerant: z.looseObject({ ...required, occurred_at: tolerated(occurredAt), data: data.tolerant }),
  }
}

/** @__NO_SIDE_EFFECTS__ */
function noteData<Required extends Fields, Tolerated extends Fields>(required: Required, fields: Tolerated) {
  return {
    contract: compiledObject({ ...required, ...fields }),
    tolerant: z.looseObject({ ...required, ...allTolerated(fields) }),
  }
}

/**
 * The data of a kind whose data the contract does not show. Without data, an event has empty data.
 *
 * @__NO_SIDE_EFFECTS__
 */
function anyData<Tolerated extends Fields>(fields: Tolerated) {
  return {
    contract: z.nullish(compiledObject(fields)),
    tolerant: objectOrEmpty(z.looseObject(allTolerated(fields))),
  }
}
