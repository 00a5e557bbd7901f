import { html } from 'hono/html'
import { type Attempt, isSuccess } from '../delivery/attempt.ts'
import { attemptSchedule } from './attempt-schedule.ts'
import type { ConsoleParts } from './console-parts.ts'
import { curlOf } from './curl.ts'
import { type LoggedDelivery, nextAttemptAt } from './delivery-log.ts'
import { deliveryMark, outcomeMark } from './delivery-status.ts'
import type { Html } from './markup.ts'
import { actButton, codeBlock, page } from './page.ts'
import { instant, stretch } from './time-text.ts'

/** A delivery: what it is about, and its attempts on a time line, each with request, answer and timing. */
export function deliveryPage(parts: ConsoleParts, logged: LoggedDelivery): Html {
  const { delivery, event } = logged
  const endpoint = parts.endpoints.find(delivery.endpoint_id)
  const { note_id } = event.data as { readonly note_id?: string }
  return page(parts, {
    title: delivery.event_type,
    section: 'Deliveries',
    content: html`
      <p class="up"><a href="/console/deliveries">Deliveries</a></p>
      <section id="delivery" data-live>
        <div class="heading"><h1>${delivery.event_type} ${deliveryMark(delivery.status)}</h1>
          ${endpoint === undefined ? '' : actButton('replay', `/console/deliveries/${delivery.delivery_id}/replay`, 'Replay', 'primary')}
        </div>
        <dl class="facts">
          ${note_id === undefined ? '' : html`<div><dt>Note</dt><dd><a href="/console/notes/${note_id}"><code>${note_id}</code></a></dd></div>`}
          <div><dt>Endpoint</dt><dd>${endpoint === undefined ? 'deleted since' : endpoint.url}</dd></div>
          <div><dt>Event</dt><dd><code>${delivery.event_id}</code></dd></div>
          ${delivery.replay_of === undefined ? '' : html`<div><dt>Replay of</dt><dd><a href="/console/deliveries/${delivery.replay_of}"><code>${delivery.replay_of}</code></a></dd></div>`}
          <div><dt>webhook-id</dt><dd><code>${delivery.webhook_id}</code></dd></div>
        </dl>
        ${attemptSchedule(logged, 'large')}
        <h2>Attempts</h2>
        ${timeLine(logged)}
      </section>`,
  })
}

function timeLine(logged: LoggedDelivery): Html {
  const { delivery, attempts } = logged
  const nextAt = nextAttemptAt(logged)
  if (attempts.length === 0)
    return html`<p class="dim">${delivery.status === 'pending' ? 'The first has not left yet.' : 'None has left, and none will.'}</p>`
  return html`<ol class="time-line">
    ${attempts.map((attempt, index) => attemptOnLine(attempt, attempts[index - 1]))}
    ${nextAt === undefined ? '' : html`<li class="planned"><p class="what">Attempt ${delivery.attempts + 1} leaves at ${instant(nextAt)}</p></li>`}
  </ol>`
}

function attemptOnLine(attempt: Attempt, before: Attempt | undefined): Html {
  const { attempt: number, duplicate, at, duration_ms, outcome, faults } = attempt
  const id = `attempt-${number}${duplicate ? '-again' : ''}`
  const pause =
    before === undefined ? '' : html`<span class="dim">${stretch(at - before.at)} after the one before</span>`
  return html`<li class="${isSuccess(outcome) ? 'succeeded' : outcome.kind}">
    <p class="what"><strong>${duplicate ? html`Attempt ${number} arrives again` : html`Attempt ${number}`}</strong> ${outcomeMark(outcome)}</p>
    ${faults.length === 0 ? '' : html`<p>By a fault: ${faults.join(', ')}</p>`}
    <p class="timing">${instant(at)} ${outcome.kind === 'in_flight' ? '' : html`<span>took ${stretch(duration_ms)}</span>`} ${pause}</p>
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
    ${headerTable(headers)}
    ${codeBlock(`${id}-body`, body)}
    <h3>Answer</h3>
    <p>${outcomeMark(outcome)}</p>
    ${response === undefined ? '' : headerTable(response.headers)}
    ${response === undefined || response.body === '' ? '' : codeBlock(`${id}-answer`, response.body)}
    ${response?.truncated ? html`<p class="dim">There was more of it than the log keeps.</p>` : ''}
    <h3>Send it again by hand</h3>
    <p class="dim">With this attempt's signature, which receivers accept for five minutes around ${instant(at)}.</p>
    ${codeBlock(`${id}-curl`, curlOf(attempt), 'Copy curl')}`
}

function headerTable(headers: Readonly<Record<string, string>>): Html {
  return html`<dl class="headers">${Object.entries(headers).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}
