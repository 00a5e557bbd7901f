import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { deliveryOf, type LoggedDelivery, newestDeliveries, nextAttemptAt, noteIdIn } from '../control/delivery-log.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'
import { attemptDots, attemptSchedule, timeLine } from './delivery-attempts.ts'
import { endpointLink, noteLink } from './links.ts'
import { linkWith, pager, partOfLog, searchForm } from './log-view.ts'
import { ownerCell, ownerChoice, ownerHead, ownerName } from './owner-choice.ts'
import { actButton, emptyList, facts, type Html, instant, mark, page } from './page.ts'

export function deliveriesPage(parts: ServiceParts, context: Context): Html {
  const { note, endpoint, status } = context.req.query()
  const { owner_id: owner, select } = ownerChoice(parts.owners, context)
  const { search, part } = partOfLog(context)
  const { deliveries, ...position } = newestDeliveries(parts, { note, endpoint, owner, status, search }, part)
  const only = noteLink(parts, note) ?? endpointLink(parts, endpoint) ?? note ?? endpoint
  return page(parts, {
    title: 'Deliveries',
    section: 'Deliveries',
    owner_id: owner,
    content: html`
      <div class="heading"><h1>Deliveries</h1>${select}
        ${searchForm(context, 'Search deliveries', 'Event, note, endpoint, kind or status')}</div>
      <div class="heading">${statusFilter(context)}
        ${only === undefined ? '' : html`<p class="narrowed">Only deliveries of ${only}. <a href="/console/deliveries">Show all</a></p>`}</div>
      <section id="deliveries" data-live>
        ${deliveries.length === 0 ? noDeliveries(parts, [only, owner, status, search].some(Boolean)) : deliveryTable(parts, deliveries)}
        ${pager(context, position, ({ delivery_id }) => delivery_id)}
      </section>`,
  })
}

const STATUS_MARKS = {
  pending: ['waiting', 'pending'],
  delivered: ['good', 'delivered'],
  given_up: ['bad', 'given up'],
  lost: ['quiet', 'lost'],
} as const satisfies Record<DeliveryStatus, readonly [string, string]>

function deliveryMark(status: DeliveryStatus): Html {
  const [tone, label] = STATUS_MARKS[status]
  return mark(tone, label)
}

function statusFilter(context: Context): Html {
  const chosen = context.req.query('status') ?? ''
  const choice = (label: string, status: string) =>
    html`<a href="${linkWith(context, { status, before: undefined })}" ${chosen === status ? html`aria-current="true"` : ''}>${label}</a>`
  return html`<nav class="filter" aria-label="Status">
    ${choice('All', '')} ${Object.entries(STATUS_MARKS).map(([status, [, label]]) => choice(label, status))}</nav>`
}

function deliveryTable(parts: ServiceParts, deliveries: readonly LoggedDelivery[]): Html {
  return html`<table class="deliveries">
    <thead><tr><th>Event</th>${ownerHead(parts.owners)}<th>Endpoint</th><th>Attempts</th><th>Status</th><th>When</th></tr></thead>
    <tbody>${deliveries.map((logged) => deliveryRow(parts, logged))}</tbody>
  </table>`
}

function deliveryRow(parts: ServiceParts, logged: LoggedDelivery): Html {
  const { delivery, attempts } = logged
  const { delivery_id, event_type, event_id, endpoint_id } = delivery
  const nextAt = nextAttemptAt(logged)
  return html`<tr>
    <td class="main"><a id="${delivery_id}" href="/console/deliveries/${delivery_id}">${event_type}</a>
      <span class="dim">${noteLink(parts, noteIdIn(delivery)) ?? event_id}</span></td>
    ${ownerCell(parts.owners, delivery.owner_id)}
    <td class="url">${endpointLink(parts, endpoint_id) ?? 'deleted'}</td>
    <td>${attemptDots(logged)}</td>
    <td>${deliveryMark(delivery.status)}</td>
    <td class="when">${instant(attempts[0]?.at ?? delivery.created_at)}
      ${nextAt === undefined ? '' : html`<span class="dim">next ${instant(nextAt)}</span>`}</td>
  </tr>`
}

function noDeliveries({ endpoints }: ServiceParts, narrowed: boolean): Html {
  if (narrowed) return emptyList('No matching deliveries', 'New deliveries appear here without a reload.')
  if (endpoints.all().length > 0) {
    const advice =
      'An endpoint is registered. Record a note and end its session: the events appear here without a reload.'
    return html`<div class="empty"><h2>No deliveries yet</h2><p>${advice}</p>
      <p><a class="button primary" href="/console/notes">Go to the notes</a></p></div>`
  }
  return html`<div class="empty"><h2>No deliveries yet</h2><p>Register an endpoint. Its verification is the first delivery.</p>
    <p><a class="button primary" href="/console/endpoints">Register an endpoint</a></p></div>`
}

/** @throws `MockServerError` `delivery_unknown` */
export function deliveryPage(parts: ServiceParts, id: string): Html {
  const logged = deliveryOf(parts.engine, id)
  const { delivery } = logged
  const { delivery_id, event_type, event_id, webhook_id, replay_of } = delivery
  const isReplayable = parts.endpoints.find(delivery.endpoint_id) !== undefined
  return page(parts, {
    title: event_type,
    section: 'Deliveries',
    content: html`
      <p class="up"><a href="/console/deliveries">Deliveries</a></p>
      <section id="delivery" data-live>
        <div class="heading"><h1>${event_type} ${deliveryMark(delivery.status)}</h1>
          ${isReplayable ? actButton('replay', `POST /control/deliveries/${delivery_id}/replay`, '/console/deliveries/{delivery_id}', 'Replay', { look: 'primary' }) : ''}
        </div>
        ${facts([
          ['Note', noteLink(parts, noteIdIn(delivery))],
          ['Owner', ownerName(parts.owners, delivery.owner_id)],
          ['Endpoint', endpointLink(parts, delivery.endpoint_id) ?? 'deleted'],
          ['Event', html`<a href="/console/deliveries?search=${event_id}"><code>${event_id}</code></a>`],
          ['Replay of', replay_of && html`<a href="/console/deliveries/${replay_of}"><code>${replay_of}</code></a>`],
          ['webhook-id', html`<code>${webhook_id}</code>`],
        ])}
        ${attemptSchedule(logged)}
        <h2>Attempts</h2>
        ${timeLine(logged)}
      </section>`,
  })
}
