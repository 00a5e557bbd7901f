import type { NoteEventKind } from '@notewire/protocol'
import type { Integration } from '../world/integration.ts'
import type { EndpointState } from './endpoint-state.ts'
import type { SigningSecret } from './signing-secret.ts'

/** A registered webhook endpoint, as the service keeps it. */
export interface Endpoint {
  readonly endpoint_id: string
  readonly integration: Integration
  readonly secret: SigningSecret
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
  url: string
  events: readonly NoteEventKind[]
  state: EndpointState
}
