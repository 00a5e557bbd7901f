import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { EndpointState } from '../delivery/endpoint-state.ts'
import { integrationName } from './integrations.ts'
import {
  actButton,
  type ConsoleParts,
  checkbox,
  emptyList,
  facts,
  fieldsOf,
  type Html,
  losingAct,
  mark,
  page,
} from './page.ts'
import type { ShownOnce } from './shown-once.ts'

/** The pages of the endpoints (contract §2, §6; open point 14). */
export function mountEndpoints(pages: Hono, parts: ConsoleParts, shownOnce: ShownOnce): void {
  const { endpoints, control } = parts

  pages.get('/console/endpoints', (context) => context.html(endpointsPage(parts)))

  pages.post('/console/endpoints', async (context) => {
    const fields = await fieldsOf(context)
    const [url, integration_id] = [fields.text('url'), fields.text('integration_id')]
    const endpoint = await control.createEndpoint({ url, integration_id, events: fields.all('events') })
    return context.redirect(showSecret(shownOnce, endpoint), 303)
  })

  pages.get('/console/endpoints/:endpoint_id', (context) => {
    const endpoint = endpoints.find(context.req.param('endpoint_id'))
    return endpoint === undefined ? context.notFound() : context.html(endpointPage(parts, endpoint))
  })

  pages.post('/console/endpoints/:endpoint_id/:act', async (context) => {
    const { endpoint_id, act } = context.req.param()
    const fields = await fieldsOf(context)
    switch (act) {
      case 'test':
        control.sendTest(endpoint_id)
        return context.redirect(`/console/deliveries?endpoint=${endpoint_id}`, 303)
      case 'change':
        await control.changeEndpoint(endpoint_id, { url: fields.text('url'), events: fields.all('events') })
        break
      case 'activate':
        await control.changeEndpoint(endpoint_id, { status: 'active' })
        break
      case 'rotate':
        return context.redirect(showSecret(shownOnce, control.rotateSecret(endpoint_id)), 303)
      case 'delete':
        control.deleteEndpoint(endpoint_id)
        return context.redirect('/console/endpoints', 303)
      default:
        return context.notFound()
    }
    return context.redirect(`/console/endpoints/${endpoint_id}`, 303)
  })
}

function showSecret(shownOnce: ShownOnce, { endpoint_id, secrets }: Endpoint): string {
  return shownOnce.keep({
    title: 'Signing secret',
    text: secrets.text,
    advice: 'Store it in the configuration of the receiver. Keep it secret: it can sign deliveries.',
    next: `/console/endpoints/${endpoint_id}`,
  })
}

function endpointsPage(parts: ConsoleParts): Html {
  const endpoints = parts.endpoints.all()
  const integrations = parts.world.integrations.all()
  return page(parts, {
    title: 'Endpoints',
    section: 'Endpoints',
    content: html`
      <div class="heading"><h1>Endpoints</h1></div>
      <details class="card form" ${endpoints.length === 0 ? html`open` : ''}>
        <summary>Register an endpoint</summary>
        <form method="post" action="/console/endpoints">
          <label>URL <input name="url" type="url" required placeholder="http://localhost:3000/webhooks/notes" /></label>
          <label>Integration <select name="integration_id">
            ${integrations.map((integration) => html`<option value="${integration.integration_id}">${integrationName(parts.world, integration)}</option>`)}
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

function endpointTable({ world }: ConsoleParts, endpoints: readonly Endpoint[]): Html {
  return html`<table class="endpoints">
    <thead><tr><th>Endpoint</th><th>Integration</th><th>Events</th><th>Status</th><th></th></tr></thead>
    <tbody>${endpoints.map(
      ({ endpoint_id, url, integration, events, state }) => html`<tr>
        <td class="main"><a id="${endpoint_id}" href="/console/endpoints/${endpoint_id}">${url}</a>
          <span class="dim">${endpoint_id}</span></td>
        <td>${integrationName(world, integration)}</td>
        <td>${events.length === NOTE_EVENT_KINDS.length ? 'all' : events.map((kind) => kind.replace('note.', '')).join(', ')}</td>
        <td>${endpointMark(state)}</td>
        <td class="acts">${actButton(`test-${endpoint_id}`, `/console/endpoints/${endpoint_id}/test`, 'Send test')}</td>
      </tr>`,
    )}</tbody>
  </table>`
}

function endpointPage(parts: ConsoleParts, endpoint: Endpoint): Html {
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
          ['Integration', integrationName(parts.world, integration)],
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
