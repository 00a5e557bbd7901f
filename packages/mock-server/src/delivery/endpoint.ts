import type { EventKind } from '@notewire/protocol'
import type { Integration } from '../world/integration.ts'
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

/** The state of an endpoint (contract §3; open point 15). */
export type EndpointState = 'pending_verification' | 'active' | 'disabled'

/** The triggers of a state transition. */
export type EndpointTrigger = 'verification_answered' | 'url_given' | 'activation_asked' | 'failed_too_often'

interface EndpointTransition {
  readonly to: EndpointState
  /** Whether a new `endpoint.verification` is sent. It replaces an earlier one that is still pending. */
  readonly verify: boolean
}

const VERIFIED_AGAIN: EndpointTransition = { to: 'pending_verification', verify: true }

/** Every transition of contract §3 and of open points 14, 16 and 18. The creation counts as `url_given`. */
const TRANSITIONS: Readonly<Record<EndpointState, Readonly<Record<EndpointTrigger, EndpointTransition>>>> = {
  pending_verification: {
    verification_answered: { to: 'active', verify: false },
    url_given: VERIFIED_AGAIN,
    activation_asked: VERIFIED_AGAIN,
    failed_too_often: { to: 'pending_verification', verify: false },
  },
  active: {
    verification_answered: { to: 'active', verify: false },
    url_given: VERIFIED_AGAIN,
    activation_asked: { to: 'active', verify: false },
    failed_too_often: { to: 'disabled', verify: false },
  },
  disabled: {
    // The answer to a verification that was in flight when the endpoint was disabled.
    verification_answered: { to: 'disabled', verify: false },
    url_given: VERIFIED_AGAIN,
    activation_asked: VERIFIED_AGAIN,
    failed_too_often: { to: 'disabled', verify: false },
  },
}

/** The transition of an endpoint. */
export function transitionOf(state: EndpointState, trigger: EndpointTrigger): EndpointTransition {
  return TRANSITIONS[state][trigger]
}
