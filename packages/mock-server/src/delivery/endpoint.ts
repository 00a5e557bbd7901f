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
  failuresInARow: number
}

/** The state of an endpoint (contract §3; open point 15). */
export type EndpointState = 'pending_verification' | 'active' | 'disabled'

export type EndpointTrigger = 'verification_answered' | 'url_given' | 'activation_asked' | 'failed_too_often'

/** The state after a trigger (contract §3; open points 14, 16 and 18). The creation counts as `url_given`. */
export function stateAfter(trigger: EndpointTrigger, state: EndpointState): EndpointState {
  switch (trigger) {
    case 'verification_answered':
      // The verification may have been in flight when the endpoint was disabled.
      return state === 'disabled' ? 'disabled' : 'active'
    case 'url_given':
      return 'pending_verification'
    case 'activation_asked':
      return state === 'active' ? 'active' : 'pending_verification'
    case 'failed_too_often':
      return state === 'active' ? 'disabled' : state
  }
}
