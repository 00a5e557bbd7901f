/** Where an endpoint stands (contract §3; open point 15). */
export type EndpointState = 'pending_verification' | 'active' | 'disabled'

/** What moves it. */
export type EndpointTrigger = 'verification_answered' | 'url_given' | 'activation_asked' | 'failed_too_often'

interface EndpointTransition {
  readonly to: EndpointState
  /** Whether an `endpoint.verification` is sent, which replaces any that is under way. */
  readonly verify: boolean
}

const VERIFIED_ANEW: EndpointTransition = { to: 'pending_verification', verify: true }

/** Every transition of contract §3 and of open points 14, 16 and 18. An endpoint begins as if its URL were given. */
const TRANSITIONS: Readonly<Record<EndpointState, Readonly<Record<EndpointTrigger, EndpointTransition>>>> = {
  pending_verification: {
    verification_answered: { to: 'active', verify: false },
    url_given: VERIFIED_ANEW,
    activation_asked: VERIFIED_ANEW,
    failed_too_often: { to: 'pending_verification', verify: false },
  },
  active: {
    verification_answered: { to: 'active', verify: false },
    url_given: VERIFIED_ANEW,
    activation_asked: { to: 'active', verify: false },
    failed_too_often: { to: 'disabled', verify: false },
  },
  disabled: {
    // Only of a verification that was under way when it was disabled.
    verification_answered: { to: 'disabled', verify: false },
    url_given: VERIFIED_ANEW,
    activation_asked: VERIFIED_ANEW,
    failed_too_often: { to: 'disabled', verify: false },
  },
}

/** What becomes of an endpoint in a state when something happens to it. */
export function transitionOf(state: EndpointState, trigger: EndpointTrigger): EndpointTransition {
  return TRANSITIONS[state][trigger]
}
