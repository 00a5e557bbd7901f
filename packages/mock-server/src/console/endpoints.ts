import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Id } from '../control/operation.ts'
import type { Endpoint, EndpointState } from '../delivery/endpoint.ts'
import type { Forms } from './forms.ts'
import { integrationName } from './integrations.ts'
import { ownerChoice } from './owner-choice.ts'
import { actButton, checkbox, emptyList, facts, type Html, losingAct, mark, page } from './page.ts'
import type { ShownOnce } from './shown-once.ts'

const toEndpoint = (_answer: object, id: Id) => `/console/endpoints/${id('endpoint_id')}`

export const endpointForms = (shownOnce: ShownOnce): Forms => ({
  '/console/endpoints': {
    operation: 'POST /control/endpoints',
    input: ({ text, all }) => ({ url: text('url'), integration_id: text('integration_id'), events: all('events') }),
    next: (answer) => showSecret(shownOnce, answer),
  },
  '/console/endpoints/:endpoint_id/test': {
    operation: 'POST /control/trigger',
    input: (_fields, id) => ({ event_type: 'endpoint.test', endpoint_id: id('endpoint_id') }),
    next: (_answer, id) => `/console/deliveries?endpoint=${id('endpoint_id')}`,
  },
  '/console/endpoints/:endpoint_id/change': {
    operation: 'PATCH /control/endpoints/:endpoint_id',
    input: ({ text, all }) => ({ url: text('url'), events: all('events') }),
    next: toEndpoint,
  },
  '/console/endpoints/:endpoint_id/activate': {
    operation: 'PATCH /control/endpoints/:endpoint_id',
    input: () => ({ status: 'active' }),
    next: toEndpoint,
  },
  '/console/endpoints/:endpoint_id/rotate': {
    operation: 'POST /control/endpoints/:endpoint_id/rotate-secret',
    next: (answer) => showSecret(shownOnce, answer),
  },
  '/console/endpoints/:endpoint_id/delete': {
    operation: 'DELETE /control/endpoints/:endpoint_id',
    next: () => '/console/endpoints',
  },
})

function showSecret(shownOnce: ShownOnce, answer: Readonly<Record<string, string>>): string {
  const { endpoint_id = '', signing_secret = '' } = answer
  return shownOnce.keep({
    title: 'Signing secret',
    text: signing_secret,
    advice: 'Store it in the configuration of the receiver. Keep it secret: it can sign deliveries.',
    next: `/console/endpoints/${endpoint_id}`,
  })
}

/** The list of endpoints (contract §2, §6; open point 14). */
export function endpointsPage(parts: ServiceParts, context: Context): Html {
  const { owner_id, select } = ownerChoice(parts.owners, context)
  const endpoints = parts.owners.only(owner_id).flatMap((world) => parts.endpoints.ofOwner(world))
  return page(parts, {
    title: 'Endpoints',
    section: 'Endpoints',
    content: html`
      <div class="heading"><h1>Endpoints</h1>${select}</div>
      <details class="card form" ${endpoints.length === 0 ? html`open` : ''}>
        <summary>Register an endpoint</summary>
        <form method="post" action="/console/endpoints">
          <label>URL <input name="url" type="url" required placeholder="http://localhost:3000/webhooks/notes" /></label>
          <label>Integration <select name="integration_id">
            ${parts.owners.only(owner_id).map(({ integrations }) => integrations.all().map((each) => html`<option value="${each.integration_id}">${integrationName(parts.owners, each)}</option>`))}
          </select></label>
          ${eventBoxes(NOTE_EVENT_KINDS)}
          <div><button class="primary">Register</button></div>
        </form>
      </details>
      <section id="endpoints" data-live>
        ${endpoints.length === 0 ? emptyList('No endpoints yet', 'Register the URL of your receiver. The mock server then sends it a verification.') : endpointTable(parts, endpoints)}
      </section>`,
  })
}

function endpointTable({ owners }: ServiceParts, endpoints: readonly Endpoint[]): Html {
  return html`<table class="endpoints">
    <thead><tr><th>Endpoint</th><th>Integration</th><th>Events</th><th>Status</th><th></th></tr></thead>
    <tbody>${endpoints.map(
      ({ endpoint_id, url, integration, events, state }) => html`<tr>
        <td class="main"><a id="${endpoint_id}" href="/console/endpoints/${endpoint_id}">${url}</a>
          <span class="dim">${endpoint_id}</span></td>
        <td>${integrationName(owners, integration)}</td>
        <td>${events.length === NOTE_EVENT_KINDS.length ? 'all' : events.map((kind) => kind.replace('note.', '')).join(', ')}</td>
        <td>${endpointMark(state)}</td>
        <td class="acts">${actButton(`test-${endpoint_id}`, `/console/endpoints/${endpoint_id}/test`, 'Send test')}</td>
      </tr>`,
    )}</tbody>
  </table>`
}

/** An endpoint; `undefined` if there is none with this identifier. */
export function endpointPage(parts: ServiceParts, id: string): Html | undefined {
  const endpoint = parts.endpoints.find(id)
  if (endpoint === undefined) return undefined
  const { endpoint_id, url, events, state, integration } = endpoint
  const path = `/console/endpoints/${endpoint_id}`
  return page(parts, {
    title: url,
    section: 'Endpoints',
    content: html`
      <p class="up"><a href="/console/endpoints">Endpoints</a></p>
      <section id="endpoint" data-live>
        <div class="heading"><h1>${url} ${endpointMark(state)}</h1>
          <div class="acts">${actButton('test', `${path}/test`, 'Send test', 'primary')}
            <a class="button" href="/console/deliveries?endpoint=${endpoint_id}">Show its deliveries</a></div></div>
        ${facts([
          ['Identifier', html`<code>${endpoint_id}</code>`],
          ['Integration', integrationName(parts.owners, integration)],
        ])}
        ${
          state === 'active'
            ? ''
            : html`<p>The mock server sends it no events about notes until it answers its verification with 2xx.
          ${actButton('activate', `${path}/activate`, 'Verify again')}</p>`
        }
      </section>
      <section class="columns">
        <form class="card" method="post" action="${path}/change">
          <h2>Change</h2>
          <label>URL <input name="url" type="url" required value="${url}" /></label>
          ${eventBoxes(events)}
          <p class="dim">A new URL is verified before other events are sent to it.</p>
          <div><button>Save</button></div>
        </form>
        <div class="card">
          <h2>Signing secret</h2>
          <p class="dim">It was shown once. A rotation creates a new one. For 24 hours, deliveries are signed with both.</p>
          ${actButton('rotate', `${path}/rotate`, 'Rotate')}
          ${losingAct('delete', `${path}/delete`, 'Delete this endpoint …', 'Delete endpoint')}
        </div>
      </section>`,
  })
}

function endpointMark(state: EndpointState): Html {
  const tone = { active: 'good', pending_verification: 'waiting', disabled: 'bad' } as const
  return mark(tone[state], state.replaceAll('_', ' '))
}

function eventBoxes(chosen: readonly string[]): Html {
  return html`<fieldset><legend>Events</legend>
    ${NOTE_EVENT_KINDS.map((kind) => checkbox('events', kind, kind, chosen.includes(kind)))}</fieldset>`
}
