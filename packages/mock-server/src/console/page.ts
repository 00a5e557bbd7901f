import type { Context } from 'hono'
import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Control, ServiceParts } from '../control/control.ts'
import { MockServerError, type Refusal } from '../errors/mock-server-error.ts'

/** What the pages of the console show and change. */
export interface ConsoleParts extends ServiceParts {
  readonly control: Control
}

/** A part of a page. Values in it are escaped: they are text, never markup. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The fields of a form. */
export interface Fields {
  /** The text of a field; empty when it was not sent. */
  text(name: string): string
  /** Every value of a field: the selected checkboxes. */
  all(name: string): readonly string[]
}

/** Reads a form. Browsers send line ends as CRLF, which become LF. */
export async function fieldsOf(context: Context): Promise<Fields> {
  const form = await context.req.parseBody({ all: true }).catch(() => {
    throw new MockServerError('form_malformed', {
      problem: 'the form cannot be read',
      remedy: 'Send it from a page of the console. Programs use the control API.',
    })
  })
  const all = (name: string) =>
    [form[name] ?? []].flat().flatMap((value) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : []))
  return { all, text: (name) => all(name)[0] ?? '' }
}

const SECTIONS = [
  ['Deliveries', '/console/deliveries'],
  ['Notes', '/console/notes'],
  ['Endpoints', '/console/endpoints'],
  ['Keys', '/console/integrations'],
  ['Clock', '/console/clock'],
  ['Faults', '/console/faults'],
] as const

interface PageContent {
  readonly title: string
  readonly section?: (typeof SECTIONS)[number][0]
  readonly content: Html
}

/** A whole page of the console. */
export function page({ baseUrl, timeline }: ConsoleParts, { title, section, content }: PageContent): Html {
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
          </div>
          <nav aria-label="Sections">
            ${SECTIONS.map(
              ([name, path]) =>
                html`<a href="${path}" ${section === name ? html`aria-current="page"` : ''}>${name}</a>`,
            )}
          </nav>
        </header>
        <p class="lost" role="status">The mock server does not answer. This page may be out of date.</p>
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html>`
}

/** A page with one message. */
export function messagePage(parts: ConsoleParts, title: string, { problem, remedy }: Refusal): Html {
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1)
  return page(parts, {
    title,
    content: html`<section class="empty"><h1>${title}</h1><p>${sentence}. ${remedy}</p>
      <p><a class="button" href="/console">Back to the deliveries</a></p></section>`,
  })
}

/** A message in the place of an empty list. */
export function emptyList(title: string, advice: Html | string): Html {
  return html`<div class="empty"><h2>${title}</h2><p>${advice}</p></div>`
}

/** A text with a button that copies it. */
export function codeBlock(id: string, text: string, copy = 'Copy'): Html {
  return html`<div class="code"><pre id="${id}" tabindex="0">${text}</pre>
    <button type="button" class="quiet" id="${id}-copy" data-copy="${id}">${copy}</button></div>`
}

/** A form that consists of one button. */
export function actButton(
  id: string,
  path: string,
  label: string,
  look: 'plain' | 'primary' = 'plain',
  fields: Readonly<Record<string, string>> = {},
): Html {
  return html`<form method="post" action="${path}" class="inline">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button id="${id}" class="${look}">${label}</button></form>`
}

/** A button for an irreversible act, which must be opened first. */
export function losingAct(id: string, path: string, question: string, label: string): Html {
  return html`<details class="losing" id="${id}"><summary>${question}</summary>
    ${actButton(`${id}-do`, path, label)}</details>`
}

export function checkbox(field: string, value: string, label: string, checked: boolean): Html {
  return html`<label class="box"><input type="checkbox" name="${field}" value="${value}" ${checked ? html`checked` : ''} /> ${label}</label>`
}

/** A list of facts; facts without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: Html | string | number | undefined])[]): Html {
  return html`<dl class="facts">${entries.map(([name, value]) =>
    value === undefined ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/** A status in its colour. */
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

function clockText(timeline: ConsoleParts['timeline']): Html {
  // The machine's time would change every page once a second.
  if (timeline.mode === 'real') return html`real time`
  return html`<span class="dim">virtual</span> ${instant(timeline.now())}`
}
