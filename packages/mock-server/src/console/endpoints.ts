import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { endpointOf } from '../control/endpoint-operations.ts'
import type { Endpoint, EndpointState } from '../delivery/endpoint.ts'
import { placesOf } from './integrations.ts'
import { logLinks } from './links.ts'
import { ownerCell, ownerChoice, ownerHead, ownerName } from './owner-choice.ts'
import { actButton, boxes, controlForm, emptyList, facts, type Html, losingAct, mark, page } from './page.ts'

/** The list of endpoints (contract §2, §6; open point 14). */
export function endpointsPage(parts: ServiceParts, context: Context): Html {
  const { owner_id, select } = ownerChoice(parts.owners, context)
  const worlds = parts.owners.only(owner_id)
  const endpoints = worlds.flatMap((world) => parts.endpoints.ofOwner(world))
  const options = worlds.flatMap((world) =>
    world.integrations.all().map((integration) => {
      const owner = ownerName(parts.owners, world.owner_id)
      const name = placesOf(parts.owners, integration)
      return html`<option value="${integration.integration_id}">${owner === undefined ? name : `${owner}: ${name}`}</option>`
    }),
  )
  const fields = html`<label>URL <input name="url" type="url" required placeholder="http://localhost:3000/webhooks/notes" /></label>
    <label>Integration <select name="integration_id">${options}</select></label>
    ${eventBoxes(NOTE_EVENT_KINDS)}
    <div><button class="primary">Register</button></div>`
  return page(parts, {
    title: 'Endpoints',
    section: 'Endpoints',
    owner_id,
    content: html`
      <div class="heading"><h1>Endpoints</h1>${select}</div>
      <details class="card form" ${endpoints.length === 0 ? html`open` : ''}>
        <summary>Register an endpoint</summary>
        ${controlForm('', 'POST /control/endpoints', '/console/endpoints/{endpoint_id}', fields)}
      </details>
      <section id="endpoints" data-live>
        ${endpoints.length === 0 ? emptyList('No endpoints yet', 'Register the URL of your receiver. The mock server then sends it a verification.') : endpointTable(parts, endpoints)}
      </section>`,
  })
}

function endpointTable({ owners }: ServiceParts, endpoints: readonly Endpoint[]): Html {
  return html`<table class="endpoints">
    <thead><tr><th>Endpoint</th>${ownerHead(owners)}<th>Integration</th><th>Events</th><th>Status</th><th class="acts">Actions</th></tr></thead>
    <tbody>${endpoints.map(
      ({ endpoint_id, url, integration, events, state }) => html`<tr>
        <td class="main"><a id="${endpoint_id}" href="/console/endpoints/${endpoint_id}">${url}</a>
          <span class="dim">${endpoint_id}</span></td>
        ${ownerCell(owners, integration.owner.owner_id)}
        <td>${placesOf(owners, integration)}</td>
        <td>${events.length === NOTE_EVENT_KINDS.length ? 'all' : events.map((kind) => kind.replace('note.', '')).join(', ')}</td>
        <td>${endpointMark(state)}</td>
        <td class="acts">${testButton(`test-${endpoint_id}`, endpoint_id)}</td>
      </tr>`,
    )}</tbody>
  </table>`
}

/** Sends `endpoint.test`, and then shows the deliveries of the endpoint. */
function testButton(id: string, endpoint_id: string, look: 'plain' | 'primary' = 'plain'): Html {
  const fields = { event_type: 'endpoint.test', endpoint_id }
  return actButton(id, 'POST /control/trigger', `/console/deliveries?endpoint=${endpoint_id}`, 'Send test', {
    look,
    fields,
  })
}

/** @throws `MockServerError` `endpoint_unknown` */
export function endpointPage(parts: ServiceParts, id: string): Html {
  const { endpoint_id, url, events, state, integration } = endpointOf(parts.endpoints, id)
  const shown = `/console/endpoints/${endpoint_id}`
  const endpoint = `/control/endpoints/${endpoint_id}`
  const verify = { fields: { status: 'active' } }
  const change = html`<h2>Change</h2>
    <label>URL <input name="url" type="url" required value="${url}" /></label>
    ${eventBoxes(events)}
    <p class="dim">A new URL is verified before other events are sent to it.</p>
    <div><button>Save</button></div>`
  return page(parts, {
    title: url,
    section: 'Endpoints',
    content: html`
      <p class="up"><a href="/console/endpoints">Endpoints</a></p>
      <section id="endpoint" data-live>
        <div class="heading"><h1>${url} ${endpointMark(state)}</h1>
          <div class="acts">${testButton('test', endpoint_id, 'primary')}
            ${logLinks('endpoint', endpoint_id)}</div></div>
        ${facts([
          ['Identifier', html`<code>${endpoint_id}</code>`],
          ['Owner', ownerName(parts.owners, integration.owner.owner_id)],
          ['Integration', placesOf(parts.owners, integration)],
        ])}
        ${
          state === 'active'
            ? ''
            : html`<p>The mock server sends it no events about notes until it answers its verification with 2xx.
          ${actButton('activate', `PATCH ${endpoint}`, shown, 'Verify again', verify)}</p>`
        }
      </section>
      <section class="columns">
        ${controlForm('card', `PATCH ${endpoint}`, shown, change)}
        <div class="card">
          <h2>Signing secret</h2>
          <p class="dim">It was shown once. A rotation creates a new one. For 24 hours, deliveries are signed with both.</p>
          ${actButton('rotate', `POST ${endpoint}/rotate-secret`, shown, 'Rotate')}
          ${losingAct('delete', `DELETE ${endpoint}`, '/console/endpoints', 'Delete this endpoint …', 'Delete endpoint')}
        </div>
      </section>`,
  })
}

function endpointMark(state: EndpointState): Html {
  const tone = { active: 'good', pending_verification: 'waiting', disabled: 'bad' } as const
  return mark(tone[state], state.replaceAll('_', ' '))
}

/** With an empty value, so that no box at all is an empty list, which the API refuses. */
function eventBoxes(chosen: readonly string[]): Html {
  const kinds = NOTE_EVENT_KINDS.map((kind) => [kind, kind] as const)
  return html`<fieldset><legend>Events</legend>
    <input type="hidden" name="events:list" value="" />${boxes('events', kinds, chosen)}</fieldset>`
}
