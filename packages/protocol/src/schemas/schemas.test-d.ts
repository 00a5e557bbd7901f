import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod/mini'
import type {
  EventKind,
  EventOf,
  Note,
  Summary,
  Transcript,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../index.ts'
import type { eventSchemas, knownEvents } from './event.ts'
import type {
  endpointRecord,
  endpointRecordWithSecret,
  noteRecord,
  summaryRecord,
  transcriptRecord,
} from './resources.ts'

/** The fields of a type, without `readonly` and without the unknown fields that a schema lets pass. */
type Fields<Type> = Type extends readonly (infer Item)[]
  ? Fields<Item>[]
  : Type extends object
    ? { -readonly [Name in keyof Type as string extends Name ? never : Name]: Fields<Type[Name]> }
    : Type

type FieldsOf<Schema extends z.ZodMiniType> = Fields<z.output<Schema>>
type EventFields<Kind extends EventKind> = FieldsOf<(typeof knownEvents)[Kind]['tolerant']>

it('each resource has exactly the fields of its schema, with the same types and the same known values', () => {
  expectTypeOf<FieldsOf<ReturnType<typeof noteRecord>>>().toEqualTypeOf<Fields<Note>>()
  expectTypeOf<FieldsOf<ReturnType<typeof transcriptRecord>>>().toEqualTypeOf<Fields<Transcript>>()
  expectTypeOf<FieldsOf<ReturnType<typeof summaryRecord>>>().toEqualTypeOf<Fields<Summary>>()
  expectTypeOf<FieldsOf<ReturnType<typeof endpointRecord>>>().toEqualTypeOf<Fields<WebhookEndpoint>>()
  expectTypeOf<FieldsOf<ReturnType<typeof endpointRecordWithSecret>>>().toEqualTypeOf<
    Fields<WebhookEndpointWithSecret>
  >()
})

it('each event has exactly the fields of its schema', () => {
  expectTypeOf<EventFields<'note.summary.generated'>>().toEqualTypeOf<Fields<EventOf<'note.summary.generated'>>>()
  expectTypeOf<EventFields<'note.updated'>>().toEqualTypeOf<Fields<EventOf<'note.updated'>>>()
  expectTypeOf<EventFields<'note.deleted'>>().toEqualTypeOf<Fields<EventOf<'note.deleted'>>>()
  expectTypeOf<EventFields<'endpoint.verification'>>().toEqualTypeOf<Fields<EventOf<'endpoint.verification'>>>()
  expectTypeOf<EventFields<'endpoint.test'>>().toEqualTypeOf<Fields<EventOf<'endpoint.test'>>>()
})

it('note.ended has the same fields, but its recording session is never null', () => {
  type Ended = EventFields<'note.ended'>
  expectTypeOf<Ended>().toExtend<Fields<EventOf<'note.ended'>>>()
  expectTypeOf<keyof Ended['data']>().toEqualTypeOf<keyof EventOf<'note.ended'>['data']>()
  expectTypeOf<Ended['data']['recording_session_id']>().toEqualTypeOf<string | undefined>()
})

it('the comparison detects another field and another known value', () => {
  expectTypeOf<FieldsOf<ReturnType<typeof noteRecord>>>().not.toEqualTypeOf<Fields<Omit<Note, 'title'>>>()
  expectTypeOf<FieldsOf<ReturnType<typeof noteRecord>>>().not.toEqualTypeOf<Fields<Note & { readonly mood?: string }>>()
  expectTypeOf<FieldsOf<ReturnType<typeof noteRecord>>>().not.toEqualTypeOf<
    Fields<Omit<Note, 'status'> & { readonly status?: 'pending' | (string & {}) | null | undefined }>
  >()
})

it('an exported schema of an event has the type of the event', () => {
  expectTypeOf<z.output<(typeof eventSchemas)['note.deleted']>>().toEqualTypeOf<EventOf<'note.deleted'>>()
})
