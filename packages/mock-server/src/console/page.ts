import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Refusal } from '../errors/mock-server-error.ts'
import { indented } from './json-text.ts'
import { shortcutsDialog } from './shortcuts.ts'

/** A part of a page. Values in it are escaped: they are text, never markup. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The sections, each with the key that opens it after `g`. */
const SECTIONS = [
  ['Deliveries', 'd', '/console/deliveries'],
  ['Notes', 'n', '/console/notes'],
  ['Endpoints', 'e', '/console/endpoints'],
  ['Requests', 'r', '/console/requests'],
  ['Keys', 'k', '/console/integrations'],
  ['Clock', 'c', '/console/clock'],
  ['Faults', 'f', '/console/faults'],
] as const

interface PageContent {
  readonly title: string
  readonly section?: (typeof SECTIONS)[number][0]
  /** The chosen owner, which the links to the sections keep. */
  readonly owner_id?: string | undefined
  readonly content: Html
}

export function page({ baseUrl, timeline }: ServiceParts, { title, section, owner_id, content }: PageContent): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Notes service</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23226b7c'/%3E%3Cpath d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E" />
        <link rel="stylesheet" href="/console/console.css" />
        <script src="/console/console.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <div class="top">
            <a class="name" href="/console">Notes service</a>
            <code class="base">${baseUrl()}</code>
            <span class="clock" id="clock" data-live>${clockText(timeline)}</span>
            <button type="button" class="quiet" id="shortcuts-open" aria-haspopup="dialog">Shortcuts <kbd>?</kbd></button>
          </div>
          <nav aria-label="Sections">
            ${SECTIONS.map(
              ([name, key, path]) =>
                html`<a data-key="${key}" href="${owner_id === undefined ? path : `${path}?owner=${owner_id}`}" ${section === name ? html`aria-current="page"` : ''}>${name}</a>`,
            )}
          </nav>
        </header>
        <p class="lost" role="status">The mock server does not answer. This page may be out of date.</p>
        <main id="content" tabindex="-1">${content}</main>
        ${shortcutsDialog(SECTIONS)}
      </body>
    </html>`
}

export function messagePage(parts: ServiceParts, title: string, { problem, remedy }: Refusal): Html {
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1)
  return page(parts, {
    title,
    content: html`<section class="empty"><h1>${title}</h1><p>${sentence}. ${remedy}</p>
      <p><a class="button" href="/console">Back to the deliveries</a></p></section>`,
  })
}

export function emptyList(title: string, advice: Html | string): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${advice}</p></div>`
}

/** JSON is indented. The button copies the text as it was sent. */
export function codeBlock(id: string, text: string, copy = 'Copy'): Html {
  const shown = indented(text)
  const sent = shown === text ? '' : html`data-sent="${text}"`
  return html`<div class="code"><pre id="${id}" tabindex="0" ${sent}>${shown}</pre>
    <button type="button" class="quiet" id="${id}-copy" data-copy="${id}">${copy}</button></div>`
}

/** A form that performs an operation of the control API, and then shows the page `next` (`forms.ts`). @param look  its CSS class */
export function controlForm(look: string, operation: string, next: string, content: Html): Html {
  return html`<form method="post" class="${look}" action="/console/act/${operation.replace(' ', '')}">
    <input type="hidden" name="next" value="${next}" />${content}</form>`
}

export function actButton(
  id: string,
  operation: string,
  next: string,
  label: string,
  { look = 'plain', fields = {} }: { look?: 'plain' | 'primary'; fields?: Readonly<Record<string, string>> } = {},
): Html {
  const content = html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button id="${id}" class="${look}">${label}</button>`
  return controlForm('inline', operation, next, content)
}

/** A button for an irreversible act, which must be opened first. */
export function losingAct(id: string, operation: string, next: string, question: string, label: string): Html {
  return html`<details class="losing" id="${id}"><summary>${question}</summary>
    ${actButton(`${id}-do`, operation, next, label)}</details>`
}

/** A box for each value of a list, which the form sends as `{field}:list`. */
export function boxes(
  field: string,
  values: readonly (readonly [value: string, label: string])[],
  checked: readonly string[],
): Html {
  return html`${values.map(
    ([value, label]) =>
      html`<label class="box"><input type="checkbox" name="${field}:list" value="${value}" ${checked.includes(value) ? html`checked` : ''} /> ${label}</label>`,
  )}`
}

/** A list of facts; facts without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Html | string | number | undefined])[]): Html {
  return html`<dl class="facts">${entries.map(([name, value]) =>
    value === undefined ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/** Names with values, such as headers. */
export function fieldTable(values: Readonly<Record<string, string>>): Html {
  return html`<dl class="headers">${Object.entries(values).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

export function mark(tone: 'good' | 'bad' | 'waiting' | 'quiet', text: string): Html {
  return html`<span class="mark ${tone}">${text}</span>`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** An instant in UTC: `1 Jan 00:05:30`, with the milliseconds in its tooltip. */
export function instant(ms: number): Html {
  const time = new Date(ms)
  const iso = time.toISOString()
  return html`<time datetime="${iso}" title="${iso}">${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${iso.slice(11, 19)}</time>`
}

function clockText(timeline: ServiceParts['timeline']): Html {
  // The machine's time would change every page once a second.
  if (timeline.mode === 'real') return html`real time`
  return html`<span class="dim">virtual</span> ${instant(timeline.now())}`
}
