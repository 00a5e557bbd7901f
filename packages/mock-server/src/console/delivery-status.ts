import { html } from 'hono/html'
import { type AttemptOutcome, isSuccess } from '../delivery/attempt.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'
import type { EndpointState } from '../delivery/endpoint-state.ts'
import type { Html } from './markup.ts'

/** How good news looks, and bad. */
type Tone = 'good' | 'bad' | 'waiting' | 'quiet'

const DELIVERIES: Readonly<Record<DeliveryStatus, readonly [Tone, string]>> = {
  pending: ['waiting', 'pending'],
  delivered: ['good', 'delivered'],
  given_up: ['bad', 'given up'],
  lost: ['quiet', 'lost'],
}

export function deliveryMark(status: DeliveryStatus): Html {
  return mark(...DELIVERIES[status])
}

const ENDPOINTS: Readonly<Record<string, Tone>> = { active: 'good', pending_verification: 'waiting' }

export function endpointMark(state: EndpointState): Html {
  return mark(ENDPOINTS[state] ?? 'bad', state.replaceAll('_', ' '))
}

export function outcomeMark(outcome: AttemptOutcome): Html {
  return mark(toneOf(outcome), outcomeText(outcome))
}

export function mark(tone: Tone, text: string): Html {
  return html`<span class="mark ${tone}">${text}</span>`
}

function toneOf(outcome: AttemptOutcome): Tone {
  if (outcome.kind === 'in_flight') return 'waiting'
  return isSuccess(outcome) ? 'good' : 'bad'
}

function outcomeText(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'in_flight':
      return 'under way'
    case 'answered':
      return `answered ${outcome.status}`
    case 'timed_out':
      return 'no answer within 10 s'
    case 'connection_failed':
      return `no connection (${outcome.reason})`
    case 'dropped':
      return `${outcome.lost} lost on the way`
  }
}
