import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Refusal } from '../errors/mock-server-error.ts'

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
  /** The path of its section. */
  readonly section?: string
  readonly content: Html
}

export function page({ baseUrl, timeline }: ServiceParts, { title, section, content }: PageContent): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Mock notes service</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23226b7c'/%3E%3Cpath d='M4 5h8M4 8h8M4 11h5' stroke='%23fff' stroke-width='1.5'/%3E%3C/svg%3E" />
        <link rel="stylesheet" href="/console/console.css" />
        <script src="/console/console.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <div class="top">
            <a class="name" href="/console">Mock notes service</a>
            <span class="dim">a mock for tests: its notes and keys are not real</span>
            <code class="base">${baseUrl()}</code>
            <span class="clock" id="clock" data-live>${timeline.mode === 'real' ? 'real time' : html`<span class="dim">virtual time</span> ${instant(timeline.now())}`}</span>
            <button type="button" class="quiet" id="shortcuts-open" aria-haspopup="dialog">Shortcuts <kbd>?</kbd></button>
          </div>
          <nav aria-label="Sections">${SECTIONS.map(
            ([name, key, path]) =>
              html`<a data-key="${key}" href="${path}" ${section === path ? html`aria-current="page"` : ''}>${name}</a> `,
          )}</nav>
        </header>
        <p class="lost" role="status">The mock server does not answer. This page may be out of date.</p>
        <main id="content" tabindex="-1">${content}</main>
        ${SHORTCUTS_DIALOG}
      </body>
    </html>`
}

/** The keys that `script.ts` answers, in addition to those of the sections. */
const SHORTCUTS = [
  ['j', 'Next entry of the list'],
  ['k', 'Previous entry of the list'],
  ['Enter', 'Open the entry'],
  ['Esc', 'Leave the field, close this list, or go back to the list of entries'],
  ['/', 'Search'],
  ['?', 'Show this list'],
  ...SECTIONS.map(([name, key]) => [`g ${key}`, name] as const),
] as const

/** Single keys can be turned off, as WCAG 2.2 requires (2.1.4). */
const SHORTCUTS_DIALOG = html`<dialog id="shortcuts" aria-labelledby="shortcuts-title">
  <form method="dialog" class="heading">
    <h2 id="shortcuts-title">Keyboard shortcuts</h2><button class="quiet">Close</button>
  </form>
  <dl class="keys">${SHORTCUTS.map(
    ([keys, text]) =>
      html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd></div>`,
  )}</dl>
  <label class="box"><input type="checkbox" id="shortcuts-on" checked /> Use keyboard shortcuts</label>
</dialog>`

export function messagePage(parts: ServiceParts, title: string, { problem, remedy }: Refusal): Html {
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1)
  return page(parts, {
    title,
    content: html`<section class="empty"><h1>${title}</h1><p>${sentence}. ${remedy}</p>
      <p><a class="button" href="/console">Back to the deliveries</a></p></section>`,
  })
}

/** JSON is indented. The button copies the text as it was sent, because a signature covers every byte. */
export function codeBlock(id: string, text: string, copy = 'Copy'): Html {
  const shown = indented(text)
  const sent = shown === text ? '' : html`data-sent="${text}"`
  return html`<div class="code"><pre id="${id}" tabindex="0" ${sent}>${shown}</pre>
    <button type="button" class="quiet" id="${id}-copy" data-copy="${id}">${copy}</button></div>`
}

/** Names with values, such as facts and headers. Those without a value are left out. */
export function table(
  look: 'facts' | 'headers',
  values: Readonly<Record<string, Html | string | number | null | undefined>>,
): Html {
  return html`<dl class="${look}">${Object.entries(values).map(([name, value]) =>
    value === undefined || value === null ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`
}

/** The meaning of statuses, for their color. */
const TONES = {
  good: /^(active|delivered|ended|accepted|[23]\d\d)$/,
  bad: /^(given_up|disabled|missing|rejected|[45]\d\d)$/,
  waiting: /^pending/,
}

export function mark(text: string, tone?: keyof typeof TONES): Html {
  const meant = tone ?? Object.entries(TONES).find(([, pattern]) => pattern.test(text))?.[0]
  return html`<span class="mark ${meant}">${text.replaceAll('_', ' ')}</span>`
}

function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : text
  } catch {
    return text
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** An instant: `1 Jan 00:05:30 UTC`, with the milliseconds in its tooltip. */
export function instant(at: number | string): Html {
  const time = new Date(at)
  const iso = time.toISOString()
  return html`<time datetime="${iso}" title="${iso}">${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${iso.slice(11, 19)} UTC</time>`
}
