import type { EventKind } from '@notewire/protocol'
import type { Integration } from '../world/integration.ts'
import type { EndpointState } from './endpoint-state.ts'
import type { SigningSecrets } from './signing-secrets.ts'

/** A registered webhook endpoint, as the service keeps it. */
export interface Endpoint {
  readonly endpoint_id: string
  readonly integration: Integration
  readonly secrets: SigningSecrets
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
  url: string
  events: readonly EventKind[]
  state: EndpointState
  /** The number of consecutive failures (open point 16). */
  failuresInARow: number
}
