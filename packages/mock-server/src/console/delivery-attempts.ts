import { MAX_DELIVERY_ATTEMPTS, RETRY_DELAYS_MS } from '@notewire/protocol'
import { html } from 'hono/html'
import { type LoggedDelivery, nextAttemptAt } from '../control/delivery-log.ts'
import { type Attempt, type AttemptOutcome, isSuccess } from '../delivery/attempt.ts'
import { curlOf } from './curl.ts'
import { codeBlock, fieldTable, type Html, instant, mark } from './page.ts'

/** The seven possible attempts of a delivery as dots. Equal ones share an element, because a list shows many deliveries. */
export function attemptDots(logged: LoggedDelivery): Html {
  const looks = looksOf(logged)
  const dots = (look: string) =>
    (look === 'planned' || look === 'never' ? '○' : '●').repeat(looks.filter((other) => other === look).length)
  return html`<span class="dots" role="img" aria-label="${attemptsText(logged)}">${[...new Set(looks)].map(
    (look) => html`<i class="${look}">${dots(look)}</i>`,
  )}</span>`
}

/** The seven possible attempts of a delivery, with the delays between them. */
export function attemptSchedule(logged: LoggedDelivery): Html {
  return html`<ol class="schedule" aria-label="${attemptsText(logged)}">
    ${looksOf(logged).map((look, index) => html`<li class="${look}"><span>${delayBefore(index)}</span></li>`)}
  </ol>`
}

function attemptsText({ delivery, attempts }: LoggedDelivery): string {
  const failed = attempts.filter(({ outcome, duplicate }) => !duplicate && !isSuccess(outcome)).length
  return `${delivery.attempts} of ${MAX_DELIVERY_ATTEMPTS} attempts, ${failed} without success`
}

function looksOf(logged: LoggedDelivery): readonly string[] {
  return Array.from({ length: MAX_DELIVERY_ATTEMPTS }, (_, index) => lookOf(logged, index + 1))
}

function lookOf({ delivery, attempts }: LoggedDelivery, number: number): string {
  const attempt = attempts.find((made) => made.attempt === number && !made.duplicate)
  if (attempt === undefined) return delivery.status === 'pending' ? 'planned' : 'never'
  if (attempt.outcome.kind === 'in_flight') return 'flying'
  return isSuccess(attempt.outcome) ? 'success' : 'failure'
}

function delayBefore(index: number): string {
  const delayMs = RETRY_DELAYS_MS[index - 1]
  return delayMs === undefined ? 'at once' : `+${stretch(delayMs)}`
}

export function timeLine(logged: LoggedDelivery): Html {
  const { delivery, attempts } = logged
  const nextAt = nextAttemptAt(logged)
  if (attempts.length === 0) {
    const state = delivery.status === 'pending' ? 'The first attempt has not left yet.' : 'No attempt was made.'
    return html`<p class="dim">${state}</p>`
  }
  return html`<ol class="time-line">
    ${attempts.map((attempt, index) => attemptOnLine(attempt, attempts[index - 1]))}
    ${nextAt === undefined ? '' : html`<li class="planned"><p class="what">Attempt ${delivery.attempts + 1} leaves at ${instant(nextAt)}</p></li>`}
  </ol>`
}

function attemptOnLine(attempt: Attempt, previous: Attempt | undefined): Html {
  const { attempt: number, duplicate, at, duration_ms, outcome, faults } = attempt
  const id = `attempt-${number}${duplicate ? '-again' : ''}`
  const delay =
    previous === undefined ? '' : html`<span class="dim">${stretch(at - previous.at)} after the previous attempt</span>`
  return html`<li class="${isSuccess(outcome) ? 'succeeded' : outcome.kind}">
    <p class="what"><strong>Attempt ${number}${duplicate ? ', duplicate' : ''}</strong> ${outcomeMark(outcome)}</p>
    ${faults.length === 0 ? '' : html`<p>Injected faults: ${faults.join(', ')}</p>`}
    <p class="timing">${instant(at)} ${outcome.kind === 'in_flight' ? '' : html`<span>took ${stretch(duration_ms)}</span>`} ${delay}</p>
    <details id="${id}">
      <summary>Request and answer</summary>
      ${requestAndAnswer(attempt, id)}
    </details>
  </li>`
}

function requestAndAnswer(attempt: Attempt, id: string): Html {
  const { url, headers, body, response, outcome, at } = attempt
  return html`
    <h3>Request</h3>
    <p class="url">POST ${url}</p>
    ${fieldTable(headers)}
    ${codeBlock(`${id}-body`, body)}
    <h3>Answer</h3>
    <p>${outcomeMark(outcome)}</p>
    ${response === undefined ? '' : fieldTable(response.headers)}
    ${response === undefined || response.body === '' ? '' : codeBlock(`${id}-answer`, response.body)}
    ${response?.truncated ? html`<p class="dim">The rest of the answer was not logged.</p>` : ''}
    <h3>Send it again with curl</h3>
    <p class="dim">It has the signature of this attempt, which receivers accept up to five minutes before and after ${instant(at)}.</p>
    ${codeBlock(`${id}-curl`, curlOf(attempt), 'Copy curl')}`
}

function outcomeMark(outcome: AttemptOutcome): Html {
  if (outcome.kind === 'in_flight') return mark('waiting', 'in flight')
  return mark(isSuccess(outcome) ? 'good' : 'bad', outcomeText(outcome))
}

function outcomeText(outcome: Exclude<AttemptOutcome, { readonly kind: 'in_flight' }>): string {
  switch (outcome.kind) {
    case 'answered':
      return `answered ${outcome.status}`
    case 'timed_out':
      return 'no answer within 10 s'
    case 'connection_failed':
      return `connection failed (${outcome.reason})`
    case 'dropped':
      return `${outcome.lost} lost`
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** A stretch of time in its two largest units: `12 h`, `5 min 10 s`, `240 ms`. */
export function stretch(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const largest = UNITS.findIndex(([, unitMs]) => ms >= unitMs)
  let rest = ms
  const parts = UNITS.slice(largest, largest + 2).flatMap(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.join(' ')
}
