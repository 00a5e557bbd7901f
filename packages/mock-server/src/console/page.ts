import { html } from 'hono/html'
import type { ConsoleParts } from './console-parts.ts'
import type { Html } from './markup.ts'
import { instant } from './time-text.ts'

const SECTIONS = [
  ['Deliveries', '/console/deliveries'],
  ['Notes', '/console/notes'],
  ['Endpoints', '/console/endpoints'],
  ['Keys', '/console/integrations'],
  ['Clock', '/console/clock'],
  ['Faults', '/console/faults'],
] as const

type SectionName = (typeof SECTIONS)[number][0]

interface PageContent {
  readonly title: string
  /** The section that it belongs to. */
  readonly section?: SectionName
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
        <p class="lost" role="status">The service does not answer. What you see may be old.</p>
        <main id="content" tabindex="-1">${content}</main>
      </body>
    </html>`
}

/** A page that says one thing. */
export function messagePage(parts: ConsoleParts, title: string, message: string): Html {
  return page(parts, {
    title,
    content: html`<section class="empty"><h1>${title}</h1><p>${message}</p>
      <p><a class="button" href="/console">Back to the deliveries</a></p></section>`,
  })
}

/** Text to be copied, with a button that does it. */
export function codeBlock(id: string, text: string, copy = 'Copy'): Html {
  return html`<div class="code"><pre id="${id}" tabindex="0">${text}</pre>
    <button type="button" class="quiet" id="${id}-copy" data-copy="${id}">${copy}</button></div>`
}

/** A button that posts: one act, without anything to fill in. */
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

/** An act that loses something asks twice. */
export function losingAct(id: string, path: string, question: string, label: string): Html {
  return html`<details class="losing" id="${id}"><summary>${question}</summary>
    ${actButton(`${id}-do`, path, label)}</details>`
}

function clockText(timeline: ConsoleParts['timeline']): Html {
  // Real time is on every screen already, and would send every page once a second.
  if (timeline.mode === 'real') return html`real time`
  return html`<span class="dim">virtual</span> ${instant(timeline.now())}`
}
