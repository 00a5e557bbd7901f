import type { WebhookEvent } from '@notewire/protocol'
import type { Contract } from './contract-variants.ts'

/** The fields that every variant sends unchanged (open point 31). */
const REQUIRED: ReadonlySet<string> = new Set(['event_id', 'event_type', 'data', 'note_id', 'revision'])

/** An event with the fields that the variants select. */
export function sentEvent<Event extends WebhookEvent>(
  event: Event,
  { eventFields, deletionRevision }: Pick<Contract, 'eventFields' | 'deletionRevision'>,
): Event {
  return withFields(event.event_type === 'note.deleted' ? withRevision(event, deletionRevision) : event, eventFields)
}

function withRevision<Event extends WebhookEvent>(event: Event, deletionRevision: Contract['deletionRevision']): Event {
  if (deletionRevision === 'number') return event
  const { revision, ...data } = event.data as { readonly revision?: unknown }
  return { ...event, data: deletionRevision === 'absent' ? data : { ...data, revision: String(revision) } }
}

function withFields<Event extends WebhookEvent>(event: Event, eventFields: Contract['eventFields']): Event {
  if (eventFields === 'all') return event
  const sentFields = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => REQUIRED.has(name) || eventFields !== 'required')
        .map(([name, value]) => [name, REQUIRED.has(name) ? value : otherValue(eventFields)]),
    )
  return { ...sentFields(event), data: sentFields(event.data) } as unknown as Event
}

function otherValue(eventFields: Contract['eventFields']): unknown {
  return eventFields === 'null' ? null : MISTYPED
}

const MISTYPED = { value: 7 }

/** The fields of resources that every variant sends unchanged (open point 39). */
const STRICT: ReadonlySet<string> = new Set([
  'note_id',
  'id',
  'endpoint_id',
  'revision',
  'text',
  'markdown',
  'signing_secret',
])

/** A resource of the REST API with optional fields of the types that the variant selects. */
export function sentResource<Resource extends object>(
  resource: Resource,
  { optionalFields }: Pick<Contract, 'optionalFields'>,
): Resource {
  if (optionalFields === 'as_documented') return resource
  const entries = Object.entries(resource).map(([name, value]) => {
    const isUnchanged = STRICT.has(name) || (name === 'status' && value === 'deleted')
    return [name, isUnchanged ? value : MISTYPED]
  })
  return Object.fromEntries(entries) as Resource
}
