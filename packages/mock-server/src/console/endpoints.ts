import { NOTE_EVENT_KINDS, type NoteEventKind } from '@notewire/protocol'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Endpoint } from '../delivery/endpoint.ts'
import { checkedEvents, checkedUrl } from './checked-endpoint.ts'
import type { ConsoleParts } from './console-parts.ts'
import { endpointMark } from './delivery-status.ts'
import { fieldsOf } from './fields.ts'
import { integrationName } from './integrations.ts'
import type { Html } from './markup.ts'
import { actButton, losingAct, page } from './page.ts'
import type { ShownOnce } from './shown-once.ts'

/** The endpoints: register, send a test, rotate the secret, change, delete (contract §2, §6; open point 14). */
export function mountEndpoints(pages: Hono, parts: ConsoleParts, shownOnce: ShownOnce): void {
  const { endpoints, engine, courier, world } = parts

  pages.get('/console/endpoints', (context) => context.html(endpointsPage(parts)))

  pages.post('/console/endpoints', async (context) => {
    const fields = await fieldsOf(context)
    const integration = world.integrations
      .all()
      .find(({ integration_id }) => integration_id === fields.text('integration_id'))
    if (integration === undefined) return context.notFound()
    const endpoint = endpoints.create(
      integration,
      await checkedUrl(fields.text('url'), courier),
      checkedEvents(fields.all('events')),
    )
    return context.redirect(showSecret(shownOnce, endpoint), 303)
  })

  pages.get('/console/endpoints/:endpoint_id', (context) => {
    const endpoint = endpoints.find(context.req.param('endpoint_id'))
    return endpoint === undefined ? context.notFound() : context.html(endpointPage(parts, endpoint))
  })

  pages.post('/console/endpoints/:endpoint_id/:act', async (context) => {
    const endpoint = endpoints.find(context.req.param('endpoint_id'))
    if (endpoint === undefined) return context.notFound()
    const fields = await fieldsOf(context)
    switch (context.req.param('act')) {
      case 'test':
        engine.sendTest(endpoint)
        return context.redirect(`/console/deliveries?endpoint=${endpoint.endpoint_id}`, 303)
      case 'change': {
        const url = await checkedUrl(fields.text('url'), courier)
        // Even an unchanged URL would verify again (open point 14), and here nobody asked for that.
        endpoints.update(endpoint, {
          url: url === endpoint.url ? undefined : url,
          events: checkedEvents(fields.all('events')),
        })
        break
      }
      case 'activate':
        endpoints.update(endpoint, { status: 'active' })
        break
      case 'rotate':
        endpoints.rotateSecret(endpoint)
        return context.redirect(showSecret(shownOnce, endpoint), 303)
      case 'delete':
        endpoints.delete(endpoint)
        return context.redirect('/console/endpoints', 303)
      default:
        return context.notFound()
    }
    return context.redirect(`/console/endpoints/${endpoint.endpoint_id}`, 303)
  })
}

function showSecret(shownOnce: ShownOnce, { endpoint_id, secrets }: Endpoint): string {
  return shownOnce.keep({
    title: 'Signing secret',
    text: secrets.text,
    advice: 'Put it where the receiver finds it. Whoever has it can sign deliveries.',
    next: `/console/endpoints/${endpoint_id}`,
  })
}

function endpointsPage(parts: ConsoleParts): Html {
  const endpoints = parts.endpoints.all()
  return page(parts, {
    title: 'Endpoints',
    section: 'Endpoints',
    content: html`
      <div class="heading"><h1>Endpoints</h1></div>
      <details class="card form" ${endpoints.length === 0 ? html`open` : ''}>
        <summary>Register an endpoint</summary>
        <form method="post" action="/console/endpoints">
          <label>URL <input name="url" type="url" required placeholder="http://localhost:3000/webhooks/notes" /></label>
          <label>For the integration <select name="integration_id">
            ${parts.world.integrations.all().map((integration) => html`<option value="${integration.integration_id}">${integrationName(parts.world, integration)}</option>`)}
          </select></label>
          ${eventBoxes(NOTE_EVENT_KINDS)}
          <div><button class="primary">Register</button></div>
        </form>
      </details>
      <section id="endpoints" data-live>
        ${endpoints.length === 0 ? noEndpoints() : endpointTable(parts, endpoints)}
      </section>`,
  })
}

function noEndpoints(): Html {
  return html`<div class="empty"><h2>No endpoint yet</h2>
    <p>An endpoint is where events are sent. Register the URL of your receiver: its verification leaves at once.</p></div>`
}

function endpointTable({ world }: ConsoleParts, endpoints: readonly Endpoint[]): Html {
  return html`<table class="endpoints">
    <thead><tr><th>Endpoint</th><th>Integration</th><th>Events</th><th>Status</th><th></th></tr></thead>
    <tbody>${endpoints.map(
      (endpoint) => html`<tr>
        <td class="main"><a id="${endpoint.endpoint_id}" href="/console/endpoints/${endpoint.endpoint_id}">${endpoint.url}</a>
          <span class="dim">${endpoint.endpoint_id}</span></td>
        <td>${integrationName(world, endpoint.integration)}</td>
        <td>${eventsInShort(endpoint.events)}</td>
        <td>${endpointMark(endpoint.state)}</td>
        <td class="acts">${actButton(`test-${endpoint.endpoint_id}`, `/console/endpoints/${endpoint.endpoint_id}/test`, 'Send test')}</td>
      </tr>`,
    )}</tbody>
  </table>`
}

function eventsInShort(events: readonly string[]): string {
  if (events.length === NOTE_EVENT_KINDS.length) return 'all'
  return events.map((kind) => kind.replace('note.', '')).join(', ')
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
            <a class="button" href="/console/deliveries?endpoint=${endpoint_id}">Its deliveries</a></div></div>
        <dl class="facts">
          <div><dt>Identifier</dt><dd><code>${endpoint_id}</code></dd></div>
          <div><dt>Integration</dt><dd>${integrationName(parts.world, integration)}</dd></div>
        </dl>
        ${
          state === 'active'
            ? ''
            : html`<p>Events about notes are not sent to it until its verification is answered 2xx.
          ${actButton('activate', `${path}/activate`, 'Verify again')}</p>`
        }
      </section>
      <section class="columns">
        <form class="card" method="post" action="${path}/change">
          <h2>Change</h2>
          <label>URL <input name="url" type="url" required value="${url}" /></label>
          ${eventBoxes(events)}
          <p class="dim">Another URL is verified before anything else is sent there.</p>
          <div><button>Save</button></div>
        </form>
        <div class="card">
          <h2>Signing secret</h2>
          <p class="dim">It was shown once. A rotation makes a new one; the old one goes on signing beside it for 24 hours.</p>
          ${actButton('rotate', `${path}/rotate`, 'Rotate')}
          ${losingAct('delete', `${path}/delete`, 'Delete this endpoint …', 'Delete it')}
        </div>
      </section>`,
  })
}

function eventBoxes(chosen: readonly string[]): Html {
  return html`<fieldset><legend>Events</legend>
    ${NOTE_EVENT_KINDS.map(
      (kind: NoteEventKind) =>
        html`<label class="box"><input type="checkbox" name="events" value="${kind}" ${chosen.includes(kind) ? html`checked` : ''} /> ${kind}</label>`,
    )}</fieldset>`
}
