import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { DeliveryFault, RequestFault } from '../faults/fault-rule.ts'
import type { Faults } from '../faults/faults.ts'
import type { Fields, Forms } from './forms.ts'
import { actButton, codeBlock, emptyList, type Html, page } from './page.ts'

/** The faults that a form offers: the value that it sends, the label, and the fault. */
type Presets<Fault> = readonly (readonly [name: string, label: string, fault: Fault])[]

const REQUEST_FAULTS: Presets<RequestFault> = [
  ['too_many', '429, with Retry-After: 2', { kind: 'status', status: 429, retryAfter: 2 }],
  ['failing', '500', { kind: 'status', status: 500 }],
  ['unavailable', '503', { kind: 'status', status: 503 }],
  ['slow', 'The answer is 5 s late', { kind: 'latency', by: '5s' }],
  ['hanging', 'The answer is 2 min late', { kind: 'latency', by: '2m' }],
  ['truncated', 'The second half of the answer is missing', { kind: 'truncated' }],
  ['malformed', 'The answer is not JSON', { kind: 'malformed' }],
  ['request_dropped', 'The connection breaks before the API gets the request', { kind: 'dropped', lost: 'request' }],
  ['answer_dropped', 'The connection breaks after the API processed it', { kind: 'dropped', lost: 'answer' }],
  ['empty_page', 'An empty page, with more to follow', { kind: 'empty_page' }],
  ['short_page', 'A page with one note', { kind: 'short_page' }],
]

const DELIVERY_FAULTS: Presets<DeliveryFault> = [
  ['duplicated', 'It arrives twice', { kind: 'duplicated' }],
  ['reordered', 'It leaves after the next attempt', { kind: 'reordered' }],
  ['delayed', 'It leaves 1 min later', { kind: 'delayed', by: '1m' }],
  ['request_lost', 'The request is lost', { kind: 'lost', lost: 'request' }],
  ['answer_lost', 'The answer is lost after the receiver processed it', { kind: 'lost', lost: 'answer' }],
  ['corrupted', 'One character of the body is changed', { kind: 'corrupted' }],
  ['old_secret', 'It is signed with the secret before the rotation', { kind: 'old_secret' }],
  ['late', 'Its timestamp is 10 min in the past', { kind: 'skewed', seconds: -600 }],
  ['early', 'Its timestamp is 10 min in the future', { kind: 'skewed', seconds: 600 }],
]

export const faultForms: Forms = {
  '/console/faults/requests': {
    operation: 'POST /control/faults',
    input: (fields) => ({
      request: fields.text('request').trim(),
      ...strikesOf(fields),
      fault: presetOf(REQUEST_FAULTS, fields),
    }),
    next: () => '/console/faults',
  },
  '/console/faults/deliveries': {
    operation: 'POST /control/faults',
    input: (fields) => ({
      delivery: fields.text('delivery'),
      ...strikesOf(fields),
      fault: presetOf(DELIVERY_FAULTS, fields),
    }),
    next: () => '/console/faults',
  },
  '/console/faults/clear': { operation: 'DELETE /control/faults', next: () => '/console/faults' },
}

function presetOf<Fault>(presets: Presets<Fault>, fields: Fields): Fault {
  const [, , fault] = presets.find(([name]) => name === fields.text('fault')) ?? []
  if (fault !== undefined) return fault
  const problem = 'the list has no such fault'
  throw new MockServerError('option_invalid', { problem, remedy: 'Go back and choose one.', option: 'fault' })
}

function strikesOf(fields: Fields): { readonly calls?: readonly number[]; readonly rate?: number } {
  const calls = fields.text('calls').match(/[^\s,]+/g)
  const rate = fields.text('rate')
  return {
    ...(calls === null ? {} : { calls: calls.map(Number) }),
    ...(rate === '' || rate === '100' ? {} : { rate: Number(rate) / 100 }),
  }
}

/** The page of the fault rules. */
export function faultsPage(parts: ServiceParts): Html {
  const { faults } = parts
  const kinds = [...NOTE_EVENT_KINDS, 'endpoint.verification', 'endpoint.test']
  return page(parts, {
    title: 'Faults',
    section: 'Faults',
    content: html`
      <div class="heading"><h1>Faults</h1></div>
      <section id="rules" data-live>${faults.rules.length === 0 ? noFaults() : ruleList(faults)}</section>
      <section class="columns">
        <form class="card" method="post" action="/console/faults/deliveries">
          <h2>Delivery attempts</h2>
          <label>Events <select name="delivery"><option value="*">All except verifications</option>
            ${kinds.map((kind) => html`<option>${kind}</option>`)}</select></label>
          ${presetSelect('Fault of an attempt', DELIVERY_FAULTS)}
          ${strikeFields()}
          <div><button>Inject</button></div>
        </form>
        <form class="card" method="post" action="/console/faults/requests">
          <h2>API requests</h2>
          <label>Request <input name="request" required value="GET /v1/notes" pattern="([*]|[A-Z]+) /.*" title="Method and path; * matches any" /></label>
          ${presetSelect('Fault of a request', REQUEST_FAULTS)}
          ${strikeFields()}
          <div><button>Inject</button></div>
        </form>
      </section>`,
  })
}

function noFaults(): Html {
  return emptyList(
    'No faults',
    html`Inject a fault to test how your code handles it. In a test, pass the same rule as the option <code>faults</code>.`,
  )
}

function ruleList({ rules }: Faults): Html {
  return html`<div class="card">
    <div class="heading"><h2>Rules in force</h2>${actButton('clear', '/console/faults/clear', 'Remove all')}</div>
    <p class="dim">In a test: <code>createNotesService({ faults: … })</code></p>
    ${codeBlock('rules-text', `[\n${rules.map((rule) => `  ${JSON.stringify(rule)},\n`).join('')}]`)}
  </div>`
}

function presetSelect(label: string, presets: Presets<unknown>): Html {
  return html`<label>${label} <select name="fault">${presets.map(
    ([name, text]) => html`<option value="${name}">${text}</option>`,
  )}</select></label>`
}

function strikeFields(): Html {
  return html`<div class="pair">
    <label>Which calls <input name="calls" placeholder="all" pattern="[0-9, ]*" title="Numbers from 1, such as 1, 3" /></label>
    <label>Share of the calls, in per cent <input name="rate" type="number" min="0" max="100" step="any" value="100" /></label>
  </div>`
}
