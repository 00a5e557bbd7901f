import { NotewireError } from '@notewire/protocol'
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Endpoint } from '../delivery/endpoint.ts'
import { attemptSchedule } from './attempt-schedule.ts'
import type { ConsoleParts } from './console-parts.ts'
import { deliveryOf, type LoggedDelivery, newestDeliveries, nextAttemptAt } from './delivery-log.ts'
import { deliveryPage } from './delivery-page.ts'
import { deliveryMark } from './delivery-status.ts'
import type { Html } from './markup.ts'
import { page } from './page.ts'
import { instant } from './time-text.ts'

const A_PAGE = 50

/** The deliveries, live, and each with its attempts. */
export function mountDeliveries(pages: Hono, parts: ConsoleParts): void {
  const { engine, endpoints, contract } = parts

  pages.get('/console/deliveries', (context) => context.html(deliveriesPage(parts, context)))

  pages.get('/console/deliveries/:delivery_id', (context) => {
    const logged = deliveryOf(engine, context.req.param('delivery_id'))
    return logged === undefined ? context.notFound() : context.html(deliveryPage(parts, logged))
  })

  pages.post('/console/deliveries/:delivery_id/replay', (context) => {
    const delivery = engine.delivery(context.req.param('delivery_id'))
    const endpoint = delivery === undefined ? undefined : endpoints.find(delivery.endpoint_id)
    if (delivery === undefined || endpoint === undefined) return context.notFound()
    if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') throw notActive()
    return context.redirect(`/console/deliveries/${engine.replay(delivery, endpoint).delivery_id}`, 303)
  })
}

function notActive(): NotewireError {
  return new NotewireError(
    'endpoint_not_active',
    'its endpoint is not active, and nothing is sent to it. Have it verified first.',
  )
}

function deliveriesPage(parts: ConsoleParts, context: Context): Html {
  const { note, endpoint, status } = context.req.query()
  const skip = Math.max(0, Number.parseInt(context.req.query('skip') ?? '', 10) || 0)
  const { deliveries, more } = newestDeliveries(parts.engine, { note, endpoint, status }, { skip, limit: A_PAGE })
  const narrowed = note ?? endpoint ?? status
  return page(parts, {
    title: 'Deliveries',
    section: 'Deliveries',
    content: html`
      <div class="heading"><h1>Deliveries</h1>${statusFilter(context)}</div>
      ${narrowed === undefined || narrowed === status ? '' : html`<p class="narrowed">Only those of <code>${narrowed}</code>. <a href="/console/deliveries">Show all</a></p>`}
      <section id="deliveries" data-live>
        ${deliveries.length === 0 ? noDeliveries(parts, narrowed !== undefined) : deliveryTable(parts, deliveries)}
        ${more ? html`<p><a class="button" href="${olderThan(context, skip + A_PAGE)}">Older deliveries</a></p>` : ''}
      </section>`,
  })
}

const STATUSES = ['pending', 'delivered', 'given_up', 'lost'] as const

function statusFilter(context: Context): Html {
  const chosen = context.req.query('status')
  const choice = (label: string, status?: string) =>
    html`<a href="/console/deliveries${status === undefined ? '' : `?status=${status}`}" ${chosen === status ? html`aria-current="true"` : ''}>${label}</a>`
  return html`<nav class="filter" aria-label="Status">
    ${choice('All')} ${STATUSES.map((status) => choice(status.replace('_', ' '), status))}</nav>`
}

function olderThan(context: Context, skip: number): string {
  const query = new URLSearchParams(context.req.query())
  query.set('skip', String(skip))
  return `/console/deliveries?${query}`
}

function deliveryTable({ endpoints }: ConsoleParts, deliveries: readonly LoggedDelivery[]): Html {
  return html`<table class="deliveries">
    <thead><tr><th>Event</th><th>Endpoint</th><th>Attempts</th><th>Status</th><th>When</th></tr></thead>
    <tbody>${deliveries.map((logged) => deliveryRow(logged, endpoints.find(logged.delivery.endpoint_id)))}</tbody>
  </table>`
}

function deliveryRow(logged: LoggedDelivery, endpoint: Endpoint | undefined): Html {
  const { delivery, event, attempts } = logged
  const { note_id } = event.data as { readonly note_id?: string }
  const nextAt = nextAttemptAt(logged)
  return html`<tr>
    <td class="main"><a id="${delivery.delivery_id}" href="/console/deliveries/${delivery.delivery_id}">${delivery.event_type}</a>
      <span class="dim">${note_id ?? event.event_id}</span></td>
    <td class="url">${endpoint === undefined ? 'deleted since' : endpoint.url.replace(/^https?:\/\//, '')}</td>
    <td>${attemptSchedule(logged, 'small')}</td>
    <td>${deliveryMark(delivery.status)}</td>
    <td class="when">${instant(attempts[0]?.at ?? Date.parse(event.occurred_at))}
      ${nextAt === undefined ? '' : html`<span class="dim">next ${instant(nextAt)}</span>`}</td>
  </tr>`
}

function noDeliveries({ endpoints }: ConsoleParts, narrowed: boolean): Html {
  if (narrowed) {
    return html`<div class="empty"><h2>None of these</h2><p>No delivery is like that. It would appear here by itself.</p></div>`
  }
  const first =
    endpoints.all().length === 0
      ? html`<p>Register an endpoint: its verification is the first delivery.</p>
          <p><a class="button primary" href="/console/endpoints">Register an endpoint</a></p>`
      : html`<p>An endpoint is registered. Record a note and end it, and its events appear here by themselves.</p>
          <p><a class="button primary" href="/console/notes">Go to the notes</a></p>`
  return html`<div class="empty"><h2>Nothing has been delivered yet</h2>${first}</div>`
}
