import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS, type WebhookEndpoint } from '@notewire/protocol'
import * as z from 'zod/mini'
import type { Endpoint, EndpointState } from '../delivery/endpoint.ts'
import { fields } from '../errors/checked.ts'
import type { Contract } from '../variants/contract-variants.ts'

/** A webhook endpoint with every field (open point 13). */
export interface EndpointResource extends WebhookEndpoint {
  readonly endpoint_id: string
  readonly url: string
  readonly events: readonly EventKind[]
  readonly status: EndpointState
  /** ISO 8601, UTC. */
  readonly created_at: string
}

export function endpointResource({ endpoint_id, url, events, state, created_at }: Endpoint): EndpointResource {
  return { endpoint_id, url, events, status: state, created_at: new Date(created_at).toISOString() }
}

/** An endpoint as the API returns it under a contract (open points 13 and 15). */
export function endpointOnTheWire(endpoint: Endpoint, contract: Contract): object {
  const { endpoint_id, status, ...others } = endpointResource(endpoint)
  const identifier = contract.endpointIdentifier === 'id' ? { id: endpoint_id } : { endpoint_id }
  if (contract.endpointFields === 'required') return identifier
  return { ...identifier, ...others, status: status === 'disabled' ? contract.disabledState : status }
}

const url = z
  .string()
  .check(
    z.meta({ format: 'uri', description: 'A public HTTPS URL that answers directly: redirects are not followed.' }),
  )

function events({ endpointKinds }: Pick<Contract, 'endpointKinds'>) {
  const kinds: readonly EventKind[] =
    endpointKinds === 'accepted' ? [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS] : NOTE_EVENT_KINDS
  return z.array(z.enum(kinds)).check(z.minLength(1), z.describe('The event kinds to subscribe to.'))
}

export const newEndpointBody = (contract: Pick<Contract, 'endpointKinds'>) => fields({ url, events: events(contract) })

export const endpointChangesBody = (contract: Pick<Contract, 'endpointKinds'>) =>
  fields({
    url: z.optional(url).check(z.describe('A URL is verified again, even if it is unchanged.')),
    events: z.optional(events(contract)),
    status: z.optional(z.literal('active')).check(z.describe('Verifies a disabled endpoint again.')),
  })
