import type { WebhookEvent } from '@notewire/protocol'
import type { Contract } from './contract-variants.ts'

/** The fields that are always sent as the contract says (open point 31). */
const REQUIRED: ReadonlySet<string> = new Set(['event_id', 'event_type', 'data', 'note_id', 'revision'])

/** An event with the fields that the variant selects. */
export function sentEvent<Event extends WebhookEvent>(
  event: Event,
  { eventFields }: Pick<Contract, 'eventFields'>,
): Event {
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
  return eventFields === 'null' ? null : { value: 7 }
}
