import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { faultOf } from '../control/fault-operations.ts'
import type { DeliveryFault, FaultRule, RequestFault } from '../faults/fault-rule.ts'
import { indented } from './json-text.ts'
import { endpointLink } from './links.ts'
import { actButton, codeBlock, controlForm, emptyList, facts, type Html, page } from './page.ts'

type Presets<Fault> = readonly (readonly [label: string, fault: Fault])[]

const REQUEST_FAULTS: Presets<RequestFault> = [
  ['429, with Retry-After: 2', { kind: 'status', status: 429, retryAfter: 2 }],
  ['500', { kind: 'status', status: 500 }],
  ['503', { kind: 'status', status: 503 }],
  ['The answer is 5 s late', { kind: 'latency', by: '5s' }],
  ['The answer is 2 min late', { kind: 'latency', by: '2m' }],
  ['The second half of the answer is missing', { kind: 'truncated' }],
  ['The answer is not JSON', { kind: 'malformed' }],
  ['The connection breaks before the API gets the request', { kind: 'dropped', lost: 'request' }],
  ['The connection breaks after the API processed it', { kind: 'dropped', lost: 'answer' }],
  ['An empty page, with more to follow', { kind: 'empty_page' }],
  ['A page with one note', { kind: 'short_page' }],
]

const DELIVERY_FAULTS: Presets<DeliveryFault> = [
  ['It arrives twice', { kind: 'duplicated' }],
  ['It leaves after the next attempt', { kind: 'reordered' }],
  ['It leaves 1 min later', { kind: 'delayed', by: '1m' }],
  ['The request is lost', { kind: 'lost', lost: 'request' }],
  ['The answer is lost after the receiver processed it', { kind: 'lost', lost: 'answer' }],
  ['One character of the body is changed', { kind: 'corrupted' }],
  ['It is signed with the secret before the rotation', { kind: 'old_secret' }],
  ['Its timestamp is 10 min in the past', { kind: 'skewed', seconds: -600 }],
  ['Its timestamp is 10 min in the future', { kind: 'skewed', seconds: 600 }],
]

const ALL_EVENTS = 'All except verifications'

const PAGE = '/console/faults'
const INJECT = 'POST /control/faults'

export function faultsPage(parts: ServiceParts): Html {
  const kinds = [...NOTE_EVENT_KINDS, 'endpoint.verification', 'endpoint.test']
  const ofDeliveries = html`<h2>Delivery attempts</h2>
    <label>Events <select name="delivery"><option value="*">${ALL_EVENTS}</option>
      ${kinds.map((kind) => html`<option>${kind}</option>`)}</select></label>
    ${presetSelect('Fault of an attempt', DELIVERY_FAULTS)} ${strikeFields()}`
  const ofRequests = html`<h2>API requests</h2>
    <label>Request <input name="request" required value="GET /v1/notes" pattern="([*]|[A-Z]+) /.*" title="Method and path; * matches any" /></label>
    ${presetSelect('Fault of a request', REQUEST_FAULTS)} ${strikeFields()}`
  return page(parts, {
    title: 'Faults',
    section: 'Faults',
    content: html`
      <div class="heading"><h1>Faults</h1></div>
      <section id="rules" data-live>${ruleList(parts.faults)}</section>
      <section class="columns">
        ${controlForm('card', INJECT, PAGE, ofDeliveries)}
        ${controlForm('card', INJECT, PAGE, ofRequests)}
      </section>`,
  })
}

function ruleList({ injected, rules }: ServiceParts['faults']): Html {
  if (rules.length === 0) {
    return emptyList(
      'No faults',
      html`Inject a fault to test how your code handles it. In a test, pass the same rule as the option <code>faults</code>.`,
    )
  }
  return html`<table class="faults">
    <thead><tr><th>Calls</th><th>Fault</th><th>Affected</th><th class="acts">Actions</th></tr></thead>
    <tbody>${injected.map(
      ({ fault_id, rule, struck }) => html`<tr>
        <td class="main"><a id="${fault_id}" href="${PAGE}/${fault_id}">${patternText(rule)}</a>
          <span class="dim">${callsText(rule)}</span></td>
        <td>${faultText(rule.fault)}</td>
        <td class="number"><span class="label">affected</span> ${struck}</td>
        <td class="acts">${removeButton(fault_id)}</td>
      </tr>`,
    )}</tbody>
  </table>
  <div class="card">
    <div class="heading"><h2>As code</h2>${actButton('clear', 'DELETE /control/faults', PAGE, 'Remove all')}</div>
    <p class="dim">In a test: <code>createNotesService({ faults: … })</code></p>
    ${codeBlock('rules-text', `faults: [\n${rules.map((rule) => `  ${JSON.stringify(rule)},\n`).join('')}]`)}
  </div>`
}

function removeButton(fault_id: string): Html {
  return actButton(`remove-${fault_id}`, `DELETE /control/faults/${fault_id}`, PAGE, 'Remove')
}

/** @throws `MockServerError` `fault_unknown` */
export function faultPage(parts: ServiceParts, fault_id: string): Html {
  const { rule, struck } = faultOf(parts, fault_id)
  const path = `${PAGE}/${fault_id}`
  const text = indented(JSON.stringify(rule))
  const change = html`<h2>Change</h2>
    <label>Rule, as JSON <textarea name="rule:whole" rows="${text.split('\n').length}" spellcheck="false">${text}</textarea></label>
    <p class="dim">The calls of the changed rule are counted from 1 again.</p>
    <div><button>Save</button></div>`
  return page(parts, {
    title: 'Fault',
    section: 'Faults',
    content: html`
      <p class="up"><a href="${PAGE}">Faults</a></p>
      <section id="fault" data-live>
        <div class="heading"><h1>${faultText(rule.fault)}</h1>${removeButton(fault_id)}</div>
        ${facts([
          ['request' in rule ? 'Requests' : 'Deliveries', patternText(rule)],
          ['Endpoint', 'delivery' in rule ? endpointLink(parts, rule.endpoint_id) : undefined],
          ['Which calls', callsText(rule)],
          ['Affected calls', struck],
        ])}
      </section>
      <section>${controlForm('card', `PUT /control/faults/${fault_id}`, path, change)}</section>`,
  })
}

/** What the lists of presets call a fault; otherwise its kind with its fields. */
function faultText(fault: RequestFault | DeliveryFault): string {
  const same = ([, preset]: readonly [string, object]) => JSON.stringify(preset) === JSON.stringify(fault)
  const { kind, ...others } = fault
  const text = [kind, ...Object.entries(others).map(([name, value]) => `${name}: ${value}`)].join(', ')
  return [...REQUEST_FAULTS, ...DELIVERY_FAULTS].find(same)?.[0] ?? text
}

function patternText(rule: FaultRule): string {
  if ('request' in rule) return rule.request
  return rule.delivery === '*' ? ALL_EVENTS : rule.delivery
}

function callsText({ calls, rate = 1 }: FaultRule): string {
  const which =
    calls === undefined ? 'all calls' : `${Array.isArray(calls) ? 'calls' : 'call'} ${[calls].flat().join(', ')}`
  return rate === 1 ? which : `${+(rate * 100).toFixed(3)} % of ${which}`
}

function presetSelect(label: string, presets: Presets<object>): Html {
  const option = ([text, fault]: readonly [string, object]) =>
    html`<option value="${JSON.stringify(fault)}">${text}</option>`
  return html`<label>${label} <select name="fault:json">${presets.map(option)}</select></label>`
}

/** Which of the calls a rule affects, and the button that injects it. */
function strikeFields(): Html {
  return html`<div class="pair">
    <label>Which calls <input name="calls:numbers" placeholder="all" pattern="[0-9, ]*" title="Numbers from 1, such as 1, 3" /></label>
    <label>Share of the calls, in per cent <input name="rate:percent" type="number" min="0" max="100" step="any" value="100" /></label>
  </div>
  <div><button>Inject</button></div>`
}
