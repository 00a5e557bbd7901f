import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '../contract.ts'
import { isKnownEvent, type WebhookEvent } from '../event.ts'
import {
  eventSchemas,
  noteSchema,
  summarySchema,
  transcriptSchema,
  unknownEventSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from '../schemas/index.ts'
import { ShapeError } from '../shape-error.ts'
import { readEvent } from './read-event.ts'
import { readNote } from './read-note.ts'
import { readSummary } from './read-summary.ts'
import { readTranscript } from './read-transcript.ts'
import { readWebhookEndpoint, readWebhookEndpointWithSecret } from './read-webhook-endpoint.ts'

/** A value that may be right, absent, null, of another type, or nearly right. */
function maybe(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(undefined, null, '', 0, -1, 1.5, 2 ** 53, true, [], {}, 'text', [7], { a: 1 })
  return fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: wrong })
}

function anObject(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const each = Object.fromEntries(Object.entries(fields).map(([name, right]) => [name, maybe(right)]))
  return maybe(fc.record(each, { requiredKeys: [] }))
}

const aText = fc.string({ minLength: 1, maxLength: 5 })
const aRevision = fc.nat()
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, aText]))

const aNote = anObject({
  ...texts('note_id', 'id', 'title', 'content', 'status', 'transcript_status', 'summary_status', 'created_at'),
  ...texts('updated_at', 'ended_at', 'deleted_at', 'extra'),
  revision: aRevision,
  owner: anObject(texts('type', 'channel_id')),
})
const aSegment = anObject({ ...texts('speaker', 'text'), start_ms: fc.nat(), end_ms: fc.nat() })
const aTranscript = anObject({ ...texts('note_id', 'id', 'text'), revision: aRevision, segments: fc.array(aSegment) })
const aSummary = anObject({ ...texts('note_id', 'id', 'status', 'markdown'), revision: aRevision })
const anEndpoint = anObject({
  ...texts('endpoint_id', 'id', 'url', 'status', 'created_at', 'signing_secret'),
  events: fc.array(maybe(aText)),
})
const anEvent = anObject({
  ...texts('event_id', 'occurred_at'),
  event_type: fc.constantFrom(...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS, 'note.merged'),
  data: anObject({
    ...texts('note_id', 'recording_session_id', 'transcript_status', 'summary_status', 'reason', 'endpoint_id'),
    revision: aRevision,
  }),
})

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
}

/** What is read, or `refused`. */
function outcome(read: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return read(value)
  } catch (error) {
    if (error instanceof ShapeError) return 'refused'
    throw error
  }
}

function outcomeBySchema(schema: Schema, value: unknown): unknown {
  const result = schema.safeParse(value)
  return result.success ? result.data : 'refused'
}

function eventSchemaFor(body: unknown): Schema {
  const kind = typeof body === 'object' && body !== null && 'event_type' in body ? body.event_type : ''
  const event = { event_type: kind } as WebhookEvent
  return isKnownEvent(event) ? eventSchemas[event.event_type] : unknownEventSchema
}

describe('reading and schemas agree on what is right, and on what it is', () => {
  const table: readonly [string, fc.Arbitrary<unknown>, (value: unknown) => unknown, (value: unknown) => Schema][] = [
    ['notes', aNote, (value) => readNote(value), () => noteSchema],
    ['transcripts', aTranscript, readTranscript, () => transcriptSchema],
    ['summaries', aSummary, readSummary, () => summarySchema],
    ['endpoints', anEndpoint, (value) => readWebhookEndpoint(value), () => webhookEndpointSchema],
    ['endpoints with their secret', anEndpoint, readWebhookEndpointWithSecret, () => webhookEndpointWithSecretSchema],
    ['events', anEvent, readEvent, eventSchemaFor],
  ]

  it.each(table)('in %s', (_what, anything, read, schemaFor) => {
    let right = 0
    fc.assert(
      fc.property(anything, (value) => {
        const result = outcome(read, value)
        if (result !== 'refused') right += 1
        expect(result).toEqual(outcomeBySchema(schemaFor(value), value))
      }),
      { numRuns: 2000 },
    )
    // Or the test would compare refusals with refusals.
    expect(right).toBeGreaterThan(100)
  })
})
