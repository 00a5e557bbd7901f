import type { EventKind, WebhookEndpoint } from '@notewire/protocol'
import type { Endpoint, EndpointState } from '../delivery/endpoint.ts'
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

/** An endpoint with every field, without its secret. */
export function endpointResource({ endpoint_id, url, events, state, created_at }: Endpoint): EndpointResource {
  return { endpoint_id, url, events, status: state, created_at: new Date(created_at).toISOString() }
}

/** An endpoint as the API returns it under a contract (open points 13 and 15). */
export function endpointOnTheWire(endpoint: Endpoint, contract: Contract): object {
  const { endpoint_id, status, ...fields } = endpointResource(endpoint)
  const identifier = contract.endpointIdentifier === 'id' ? { id: endpoint_id } : { endpoint_id }
  if (contract.endpointFields === 'required') return identifier
  return { ...identifier, ...fields, status: status === 'disabled' ? contract.disabledState : status }
}
