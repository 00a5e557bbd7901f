import { html } from 'hono/html'
import type { ReceivedRequest } from '../api/request-log.ts'
import type { LoggedDelivery } from '../control/delivery-operations.ts'
import { timeLine } from './delivery-attempts.ts'
import { button } from './form.ts'
import { codeBlock, type Html } from './page.ts'
import type { Resource } from './resources.ts'
import type { Section } from './section.ts'

export const SECTIONS: readonly Section[] = [
  {
    title: 'Deliveries',
    list: 'GET /control/deliveries',
    read: 'GET /control/deliveries/:delivery_id',
    label: ({ event_type }) => String(event_type),
    columns: ['note_id', 'owner_id', 'endpoint_id', 'attempts', 'status', 'created_at', 'next_attempt_at'],
    empty: empty(
      'No deliveries yet',
      html`<a href="/console/endpoints">Register an endpoint</a>: its verification is the first delivery. Then <a href="/console/notes">record a note</a> and end its session.`,
    ),
    creates: ['POST /control/trigger'],
    body: (delivery) => timeLine(delivery as unknown as LoggedDelivery),
  },
  {
    title: 'Notes',
    list: 'GET /control/notes',
    read: 'GET /control/notes/:note_id',
    label: ({ title, status }) => String(title || (status === 'deleted' ? 'Deleted' : 'Untitled')),
    columns: ['note_id', 'owner_id', 'place', 'status', 'revision', 'updated_at'],
    empty: empty('No notes yet', html`Record a note and end its session. Then the first event is sent.`),
    creates: ['POST /control/notes'],
    createsFirst: true,
    isFinal: ({ status }) => status === 'deleted',
    buttons: (id) => logLinks('note_id', id),
  },
  {
    title: 'Endpoints',
    list: 'GET /control/endpoints',
    read: 'GET /control/endpoints/:endpoint_id',
    label: ({ url }) => String(url),
    columns: ['endpoint_id', 'owner_id', 'integration_id', 'events', 'status'],
    empty: empty(
      'No endpoints yet',
      html`Register the URL of your receiver. The mock server then sends it a verification.`,
    ),
    creates: ['POST /control/endpoints'],
    createsFirst: true,
    buttons: (endpoint_id) => {
      const given = { event_type: 'endpoint.test', endpoint_id }
      const next = `/console/deliveries?endpoint_id=${endpoint_id}`
      return html`${button('POST /control/trigger', 'Send test', { given, next })} ${logLinks('endpoint_id', endpoint_id)}`
    },
  },
  {
    title: 'API requests',
    list: 'GET /control/requests',
    read: 'GET /control/requests/:request_id',
    label: ({ method, path }) => `${method} ${path}`,
    columns: ['query', 'status', 'authentication', 'key_id', 'duration_ms', 'at'],
    empty: empty('No requests yet', html`Requests to the REST API appear here without a reload.`),
    creates: [],
    body: (request) => {
      const { body, answer } = request as unknown as ReceivedRequest
      return html`${body === '' ? '' : html`<h2>Body</h2>${codeBlock('body', body)}`}
        <h2>Answer</h2>
        <p class="dim">${answer === undefined ? 'There was none.' : `${answer.content_type ?? 'No content type'}, ${answer.length} characters, of which the first 4,096 are kept`}</p>
        ${answer === undefined || answer.body === '' ? '' : codeBlock('answer', answer.body)}`
    },
  },
  {
    title: 'Integrations and keys',
    list: 'GET /control/integrations',
    read: 'GET /control/integrations/:integration_id',
    label: ({ name }) => String(name),
    columns: ['integration_id', 'owner_id', 'keys'],
    empty: empty('No integrations', html`Create one.`),
    creates: ['POST /control/integrations', 'POST /control/channels', 'POST /control/owners'],
    alsoChanges: ['DELETE /control/keys/:key_id'],
  },
  {
    title: 'Faults',
    list: 'GET /control/faults',
    read: 'GET /control/faults/:fault_id',
    label: ({ rule }) => String((rule as Resource)['request'] ?? `${(rule as Resource)['delivery']} deliveries`),
    columns: ['fault_id', 'rule', 'struck'],
    empty: empty('No faults', html`Inject a fault to test how your code handles it.`),
    creates: ['POST /control/faults'],
    below: (faults) =>
      faults.length === 0
        ? ''
        : html`<div class="card"><div class="heading"><h2>As code</h2>
            ${button('DELETE /control/faults', 'Remove all', { next: '/console/faults' })}</div>
          <p class="dim">In a test: <code>createNotesService({ faults: … })</code></p>
          ${codeBlock('rules-text', `faults: [\n${faults.map(({ rule }) => `  ${JSON.stringify(rule)},\n`).join('')}]`)}</div>`,
  },
]

function empty(title: string, advice: Html): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${advice}</p></div>`
}

/** The links from a note or an endpoint to the logs. */
function logLinks(field: 'note_id' | 'endpoint_id', id: string): Html {
  return html`<a class="button" href="/console/deliveries?${field}=${id}">Show its deliveries</a>
    <a class="button" href="/console/requests?search=${id}">Show its requests</a>`
}
