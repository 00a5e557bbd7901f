import { MAX_DELIVERY_ATTEMPTS } from '@notewire/protocol'
import { html } from 'hono/html'
import type { LoggedDelivery } from '../control/delivery-operations.ts'
import { type Attempt, type AttemptOutcome, isSuccess } from '../delivery/attempt.ts'
import { codeBlock, type Html, instant, mark, table } from './page.ts'

/** The seven possible attempts of a delivery as dots. Equal ones share an element, because a list shows many deliveries. */
export function attemptDots(attempts: readonly Attempt[]): Html {
  const made = attempts.filter(({ duplicate }) => !duplicate)
  const looks = made.map(({ outcome }) => toneOf(outcome))
  const failed = looks.filter((look) => look === 'bad').length
  const dots = (look: string) =>
    html`<i class="${look}">${'●'.repeat(looks.filter((other) => other === look).length)}</i>`
  return html`<span class="dots" role="img" aria-label="${made.length} of ${MAX_DELIVERY_ATTEMPTS} attempts, ${failed} without success">${[
    ...new Set(looks),
  ].map(dots)}<i>${'○'.repeat(MAX_DELIVERY_ATTEMPTS - made.length)}</i></span>`
}

/** The attempts of a delivery, and when the next one leaves. */
export function timeLine({ attempts, next_attempt_at }: LoggedDelivery): Html {
  const next =
    next_attempt_at &&
    html`<li><p>Attempt ${(attempts.at(-1)?.attempt ?? 0) + 1} leaves at ${instant(next_attempt_at)}</p></li>`
  return html`<h2>Attempts</h2><ol class="time-line">
    ${attempts.map((attempt, index) => attemptOnLine(attempt, attempts[index - 1]))} ${next}</ol>`
}

function attemptOnLine(attempt: Attempt, previous: Attempt | undefined): Html {
  const { attempt: number, duplicate, at, duration_ms, outcome, faults } = attempt
  const id = `attempt-${number}${duplicate ? '-again' : ''}`
  const delay = previous && html`· ${stretch(at - previous.at)} after the previous attempt`
  return html`<li>
    <p><strong>Attempt ${number}${duplicate ? ', duplicate' : ''}</strong> ${outcomeMark(outcome)}</p>
    ${faults.length === 0 ? '' : html`<p>Injected faults: ${faults.join(', ')}</p>`}
    <p class="dim">${instant(at)} ${outcome.kind === 'in_flight' ? '' : `· took ${stretch(duration_ms)}`} ${delay}</p>
    <details id="${id}">
      <summary>Request and answer</summary>
      ${requestAndAnswer(attempt, id)}
    </details>
  </li>`
}

function requestAndAnswer(attempt: Attempt, id: string): Html {
  const { url, headers, body, response, outcome, at } = attempt
  return html`<h3>Request</h3>
    <p class="url">POST ${url}</p>
    ${table('headers', headers)} ${codeBlock(`${id}-body`, body)}
    <h3>Answer</h3>
    <p>${outcomeMark(outcome)}</p>
    ${response && table('headers', response.headers)}
    ${response === undefined || response.body === '' ? '' : codeBlock(`${id}-answer`, response.body)}
    ${response?.truncated ? html`<p class="dim">The rest of the answer was not logged.</p>` : ''}
    <h3>Send it again with curl</h3>
    <p class="dim">It has the signature of this attempt, which receivers accept up to five minutes before and after ${instant(at)}.</p>
    ${codeBlock(`${id}-curl`, curlOf(attempt), 'Copy curl')}`
}

function outcomeMark(outcome: AttemptOutcome): Html {
  return mark(outcomeText(outcome), toneOf(outcome))
}

function toneOf(outcome: AttemptOutcome): 'good' | 'bad' | 'waiting' {
  if (outcome.kind === 'in_flight') return 'waiting'
  return isSuccess(outcome) ? 'good' : 'bad'
}

function outcomeText(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'in_flight':
      return 'in flight'
    case 'answered':
      return `answered ${outcome.status}`
    case 'timed_out':
      return 'no answer within 10 s'
    case 'connection_failed':
      return `connection failed (${outcome.reason}${outcome.message === undefined ? '' : `: ${outcome.message}`})`
    case 'dropped':
      return `${outcome.lost} lost`
  }
}

/** The curl command that sends the same request again, byte for byte, in a POSIX shell. */
export function curlOf({ url, headers, body }: Pick<Attempt, 'url' | 'headers' | 'body'>): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const sent = Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`)
  return [`curl --request POST ${quoted(url)}`, ...sent, `--data-raw ${quoted(body)}`].join(' \\\n  ')
}

/** A stretch of time: `240 ms`, `30 s`, `5 min`, `12 h`. */
export function stretch(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}
