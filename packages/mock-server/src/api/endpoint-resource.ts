import type { NoteEventKind, WebhookEndpoint } from '@notewire/protocol'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { EndpointState } from '../delivery/endpoint-state.ts'

/** A webhook endpoint, as this service shows it: every field there (open point 13). */
export interface EndpointResource extends WebhookEndpoint {
  readonly endpoint_id: string
  readonly url: string
  readonly events: readonly NoteEventKind[]
  readonly status: EndpointState
  /** ISO 8601, UTC. */
  readonly created_at: string
}

/** An endpoint, as the API shows it: never its secret. */
export function endpointResource({ endpoint_id, url, events, state, created_at }: Endpoint): EndpointResource {
  return { endpoint_id, url, events, status: state, created_at: new Date(created_at).toISOString() }
}
