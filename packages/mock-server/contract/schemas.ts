import { SCOPES } from '@notewire/protocol'
import {
  apiErrorBodySchema,
  contractOf,
  eventSchemas,
  noteSchema,
  summarySchema,
  transcriptSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from '@notewire/protocol/schemas'
import * as z from 'zod'

/** The version of the contract, not of the package (§9). */
export const CONTRACT_VERSION = '1.0.0'

/** A JSON Schema, 2020-12: the dialect of OpenAPI 3.1 and AsyncAPI 3. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined
}

/** The JSON Schema of the output of a protocol schema, with descriptions of its fields. */
function described(
  schema: ReturnType<typeof contractOf>,
  description: string,
  fields: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(contractOf(schema), { io: 'output' }) as JsonSchema
  return withFields({ description, ...json }, fields)
}

function withFields(schema: JsonSchema, fields: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { properties = {} } = schema
  const unknown = Object.keys(fields).filter((field) => !(field in properties))
  if (unknown.length > 0) throw new Error(`The protocol's schema has no field ${unknown.join(', ')}.`)
  const merged = Object.entries(properties).map(([name, property]) => [name, { ...property, ...fields[name] }])
  return { ...schema, properties: Object.fromEntries(merged) }
}

const TIME = { examples: ['2026-01-01T09:30:00.000Z'] }
const TRANSCRIPT_STATUS = {
  description: 'How far the transcript is. New values may appear.',
  examples: ['pending', 'ready', 'empty', 'failed'],
}
const SUMMARY_STATUS = {
  description: 'How far the summary is. New values may appear.',
  examples: ['pending', 'ready', 'missing', 'failed'],
}
const REVISION = { description: 'Rises whenever something that the API shows changes; never falls.' }

const note = described(noteSchema, 'A note, or the marker that remains of a deleted one.', {
  note_id: { description: 'Identifies the note.', examples: ['note_Wv3kPq'] },
  revision: REVISION,
  status: {
    description: 'Where the note stands. `deleted` marks a tombstone. New values may appear.',
    examples: ['pending', 'ended', 'deleted'],
  },
  transcript_status: TRANSCRIPT_STATUS,
  summary_status: SUMMARY_STATUS,
  created_at: { description: 'ISO 8601, UTC.', ...TIME },
  updated_at: { description: 'ISO 8601, UTC. What `updated_after` is compared to.', ...TIME },
  ended_at: { description: 'ISO 8601, UTC; null before the first recording session has ended.', ...TIME },
  deleted_at: { description: 'ISO 8601, UTC; set on a tombstone.', ...TIME },
  owner: { description: 'Whom the note belongs to: a personal account, or a channel.' },
})

const ENDPOINT_FIELDS = {
  endpoint_id: { description: 'Identifies the endpoint.' },
  url: { description: 'Where deliveries are sent. Redirects are not followed.' },
  events: { description: 'The event kinds that it subscribes to.' },
  status: {
    description: 'Where the endpoint stands. New values may appear.',
    examples: ['pending_verification', 'active', 'disabled'],
  },
  created_at: { description: 'ISO 8601, UTC.', ...TIME },
}

/** The resources of the API. */
export const RESOURCES = {
  // The service sends its identifier under both names (open point 2).
  Note: { ...note, properties: { ...note.properties, id: { type: 'string', description: 'The same as `note_id`.' } } },
  NotePage: {
    description: 'A page of the list of notes, in order of creation.',
    type: 'object',
    required: ['notes', 'has_more'],
    properties: {
      notes: { type: 'array', items: ref('Note') },
      next_cursor: {
        type: ['string', 'null'],
        description: 'Goes on where this page ends; null or absent on the last.',
      },
      has_more: { type: 'boolean', description: 'Go on with `next_cursor` until it is false, empty pages included.' },
    },
  },
  Transcript: described(transcriptSchema, 'What was said in the sessions that have ended.', {
    revision: { description: "The note's revision that the transcript belongs to." },
    text: { description: 'All of it as running text.' },
    segments: { description: 'The same text, one segment for each spoken line.' },
  }),
  Summary: described(summarySchema, 'A summary, or its status while there is none.', {
    revision: { description: "The note's revision that the summary belongs to." },
    status: SUMMARY_STATUS,
    markdown: { description: 'Null while there is none.' },
  }),
  WebhookEndpoint: described(webhookEndpointSchema, 'A registered webhook endpoint.', ENDPOINT_FIELDS),
  WebhookEndpointWithSecret: described(
    webhookEndpointWithSecretSchema,
    'An endpoint in the one answer that shows its signing secret: at creation and at rotation.',
    {
      ...ENDPOINT_FIELDS,
      signing_secret: { description: '`whsec_` and base64url text. Shown once.', pattern: '^whsec_[A-Za-z0-9_-]+$' },
    },
  ),
  WebhookEndpointList: {
    description: "The endpoints of the key's integration.",
    type: 'object',
    required: ['webhook_endpoints'],
    properties: { webhook_endpoints: { type: 'array', items: ref('WebhookEndpoint') } },
  },
  Replay: {
    description: 'The delivery that sends an event once more.',
    type: 'object',
    required: ['delivery_id'],
    properties: { delivery_id: { type: 'string', minLength: 1 } },
  },
  Error: withFields(described(apiErrorBodySchema, 'Why a request was refused.', {}), {
    error: {
      properties: {
        code: { type: 'string', description: 'Made for programs.', examples: ['not_found'] },
        message: { type: 'string', description: 'Made for people.' },
        scope: { type: ['string', 'null'], description: 'The scope that the key lacks.', examples: [...SCOPES] },
      },
    },
  }),
} as const satisfies Readonly<Record<string, JsonSchema>>

const WHAT_EVENTS_MEAN: { readonly [Kind in keyof typeof eventSchemas]: string } = {
  'note.ended': 'A recording session has finished and its final transcript can be read: once for each session.',
  'note.summary.generated': 'A summary has been generated and can be read.',
  'note.updated': 'Something that the API shows has changed after the note ended. Edits close together are one event.',
  'note.deleted': 'The note was deleted, or left what the key can see: remove the stored copy.',
  'endpoint.verification': 'Verifies the endpoint: a 2xx answer activates it.',
  'endpoint.test': 'A test was requested.',
}

/** The body of a delivery, for each kind of event. */
export const EVENTS = Object.entries(eventSchemas).map(([kind, schema]) => {
  const name = kind.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase())
  const description = WHAT_EVENTS_MEAN[kind as keyof typeof eventSchemas]
  const fields = {
    event_id: { description: 'Unique for an event: the same in every attempt, retry and replay of it.' },
    occurred_at: { description: 'ISO 8601, UTC.', ...TIME },
  }
  return { kind, name, description, schema: described(schema, description, fields) }
})

/** Refers to a resource. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The JSON Schema of what a schema accepts. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return json as JsonSchema
}
