import { type EventKind, NOTE_EVENT_KINDS, OptionError } from '@notewire/protocol'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { ConsoleParts } from './console-parts.ts'
import { DELIVERY_FAULTS, REQUEST_FAULTS } from './fault-presets.ts'
import { type Fields, fieldsOf } from './fields.ts'
import type { Html } from './markup.ts'
import { actButton, codeBlock, page } from './page.ts'

/** What goes wrong on purpose: with requests to the API, and with attempts at receivers. */
export function mountFaults(pages: Hono, parts: ConsoleParts): void {
  const { faults } = parts

  pages.get('/console/faults', (context) => context.html(faultsPage(parts)))

  pages.post('/console/faults/requests', async (context) => {
    const fields = await fieldsOf(context)
    const { fault } = presetOf(REQUEST_FAULTS, fields.text('fault'))
    faults.inject({ request: fields.text('request').trim(), ...strikesOf(fields), fault })
    return context.redirect('/console/faults', 303)
  })

  pages.post('/console/faults/deliveries', async (context) => {
    const fields = await fieldsOf(context)
    const { fault } = presetOf(DELIVERY_FAULTS, fields.text('fault'))
    faults.inject({ delivery: fields.text('delivery') as EventKind | '*', ...strikesOf(fields), fault })
    return context.redirect('/console/faults', 303)
  })

  pages.post('/console/faults/clear', (context) => {
    faults.clear()
    return context.redirect('/console/faults', 303)
  })
}

function presetOf<Preset>(presets: Readonly<Record<string, Preset>>, name: string): Preset {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (preset !== undefined) return preset
  throw new OptionError('fault', 'there is no such fault. Go back and choose one of the list.')
}

function strikesOf(fields: Fields): { readonly calls?: readonly number[]; readonly rate?: number } {
  const calls = fields
    .text('calls')
    .split(/[\s,]+/)
    .filter((call) => call !== '')
    .map(Number)
  const rate = fields.text('rate')
  return {
    ...(calls.length === 0 ? {} : { calls }),
    ...(rate === '' || rate === '100' ? {} : { rate: Number(rate) / 100 }),
  }
}

function faultsPage(parts: ConsoleParts): Html {
  const { faults } = parts
  return page(parts, {
    title: 'Faults',
    section: 'Faults',
    content: html`
      <div class="heading"><h1>Faults</h1></div>
      <section id="rules" data-live>${faults.rules.length === 0 ? noFaults() : ruleList(faults)}</section>
      <section class="columns">
        <form class="card" method="post" action="/console/faults/deliveries">
          <h2>On the way to receivers</h2>
          <label>Events <select name="delivery"><option value="*">All but verifications</option>
            ${NOTE_EVENT_KINDS.map((kind) => html`<option>${kind}</option>`)}<option>endpoint.verification</option><option>endpoint.test</option></select></label>
          ${presetSelect('An attempt', DELIVERY_FAULTS)}
          ${strikeFields()}
          <div><button>Let it happen</button></div>
        </form>
        <form class="card" method="post" action="/console/faults/requests">
          <h2>In the API</h2>
          <label>Request <input name="request" required value="GET /v1/notes" pattern="([*]|[A-Z]+) /.*" title="Method and path; * stands for any" /></label>
          ${presetSelect('A request', REQUEST_FAULTS)}
          ${strikeFields()}
          <div><button>Let it happen</button></div>
        </form>
      </section>`,
  })
}

function noFaults(): Html {
  return html`<div class="empty"><h2>Nothing goes wrong</h2>
    <p>Choose what should, and see whether your code holds. A rule below is the option <code>faults</code> of a test.</p></div>`
}

/** As a test would write them, so that what was found here by hand is a test in a minute. */
function ruleList({ rules }: ConsoleParts['faults']): Html {
  return html`<div class="card">
    <div class="heading"><h2>In force</h2>${actButton('clear', '/console/faults/clear', 'End all')}</div>
    <p class="dim">For a test: <code>createNotesService({ faults: … })</code></p>
    ${codeBlock('rules-text', `[\n${rules.map((rule) => `  ${JSON.stringify(rule)},\n`).join('')}]`)}
  </div>`
}

function presetSelect(label: string, presets: Readonly<Record<string, { readonly label: string }>>): Html {
  return html`<label>${label} <select name="fault">${Object.entries(presets).map(
    ([name, preset]) => html`<option value="${name}">${preset.label}</option>`,
  )}</select></label>`
}

function strikeFields(): Html {
  return html`<div class="pair">
    <label>Which calls <input name="calls" placeholder="all" pattern="[0-9, ]*" title="Numbers from 1, such as 1, 3" /></label>
    <label>How often, in per cent <input name="rate" type="number" min="0" max="100" step="any" value="100" /></label>
  </div>`
}
