import { MAX_DELIVERY_ATTEMPTS, RETRY_DELAYS_MS } from '@notewire/protocol'
import { html } from 'hono/html'
import { isSuccess } from '../delivery/attempt.ts'
import type { LoggedDelivery } from './delivery-log.ts'
import type { Html } from './markup.ts'
import { stretch } from './time-text.ts'

type Look = 'success' | 'failure' | 'flying' | 'planned' | 'never'

/** The seven attempts that a delivery can have, as dots on a line: small in a list, with the pauses below where there is room. */
export function attemptSchedule(logged: LoggedDelivery, size: 'small' | 'large'): Html {
  const looks = Array.from({ length: MAX_DELIVERY_ATTEMPTS }, (_, index) => lookOf(logged, index + 1))
  return html`<ol class="schedule ${size}" aria-label="${inWords(logged)}">
    ${looks.map(
      (look, index) =>
        html`<li class="${look}">${size === 'large' ? html`<span>${pauseBefore(index)}</span>` : ''}</li>`,
    )}
  </ol>`
}

function lookOf({ delivery, attempts }: LoggedDelivery, number: number): Look {
  const attempt = attempts.find((made) => made.attempt === number && !made.duplicate)
  if (attempt === undefined) return delivery.status === 'pending' ? 'planned' : 'never'
  if (attempt.outcome.kind === 'in_flight') return 'flying'
  return isSuccess(attempt.outcome) ? 'success' : 'failure'
}

function pauseBefore(index: number): string {
  const pauseMs = RETRY_DELAYS_MS[index - 1]
  return pauseMs === undefined ? 'at once' : `+${stretch(pauseMs)}`
}

function inWords({ delivery, attempts }: LoggedDelivery): string {
  const failed = attempts.filter(({ outcome, duplicate }) => !duplicate && !isSuccess(outcome)).length
  return `${delivery.attempts} of ${MAX_DELIVERY_ATTEMPTS} attempts, ${failed} without success`
}
