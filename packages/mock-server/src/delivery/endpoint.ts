import type { EventKind } from '@notewire/protocol'
import type { Integration } from '../world/integration.ts'
import type { SigningSecrets } from './signing-secrets.ts'

export interface Endpoint {
  readonly endpoint_id: string
  readonly integration: Integration
  readonly secrets: SigningSecrets
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
  url: string
  events: readonly EventKind[]
  state: EndpointState
  consecutiveFailures: number
}

/** The state of an endpoint (contract §3; open point 15). */
export type EndpointState = 'pending_verification' | 'active' | 'disabled'

export type EndpointTrigger = 'verification_answered' | 'url_set' | 'activation_requested' | 'too_many_failures'

/** The state after a trigger (contract §3; open points 14, 16 and 18). The creation counts as `url_set`. */
export function stateAfter(trigger: EndpointTrigger, state: EndpointState): EndpointState {
  switch (trigger) {
    case 'verification_answered':
      // The verification may have been in flight when the endpoint was disabled.
      return state === 'disabled' ? 'disabled' : 'active'
    case 'url_set':
      return 'pending_verification'
    case 'activation_requested':
      return state === 'active' ? 'active' : 'pending_verification'
    case 'too_many_failures':
      return state === 'active' ? 'disabled' : state
  }
}
