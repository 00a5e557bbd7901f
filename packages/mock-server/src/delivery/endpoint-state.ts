/** Where an endpoint stands (contract §3). */
export type EndpointState = 'pending_verification' | 'active'

/** What moves it. */
export type EndpointTrigger = 'verification_answered' | 'url_given' | 'activation_asked'

interface EndpointTransition {
  readonly to: EndpointState
  /** Whether an `endpoint.verification` is sent, which replaces any that is under way. */
  readonly verify: boolean
}

/** Every transition of contract §3 and of open points 14 and 18. An endpoint begins as if its URL were given. */
const TRANSITIONS: Readonly<Record<EndpointState, Readonly<Record<EndpointTrigger, EndpointTransition>>>> = {
  pending_verification: {
    verification_answered: { to: 'active', verify: false },
    url_given: { to: 'pending_verification', verify: true },
    activation_asked: { to: 'pending_verification', verify: true },
  },
  active: {
    verification_answered: { to: 'active', verify: false },
    url_given: { to: 'pending_verification', verify: true },
    activation_asked: { to: 'active', verify: false },
  },
}

/** What becomes of an endpoint in a state when something happens to it. */
export function transitionOf(state: EndpointState, trigger: EndpointTrigger): EndpointTransition {
  return TRANSITIONS[state][trigger]
}
