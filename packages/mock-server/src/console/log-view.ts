import type { Context } from 'hono'
import { html } from 'hono/html'
import type { LogPage } from '../control/log-page.ts'
import type { Html } from './page.ts'

/** How many entries of a list a page shows. */
export const A_PAGE = 50

/** The part of a log that a page shows, and the search in it. */
export function partOfLog(context: Context) {
  const { search, before } = context.req.query()
  return { search, part: { before: before || undefined, limit: A_PAGE } }
}

/** A link to the same page with other parameters: `undefined` removes one. */
export function linkWith(context: Context, changes: Readonly<Record<string, string | undefined>>): string {
  const query = Object.entries({ ...context.req.query(), ...changes }).filter(([, value]) => value)
  return `${context.req.path}?${new URLSearchParams(query as [string, string][])}`
}

/** The parameters of the page, except some, as fields of a form. */
export function keptFields(context: Context, ...dropped: readonly string[]): Html {
  const kept = Object.entries(context.req.query()).filter(([name]) => !dropped.includes(name))
  return html`${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`
}

export function searchForm(context: Context, label: string, advice: string): Html {
  return html`<form method="get" role="search" class="search">
    ${keptFields(context, 'search', 'before')}
    <input type="search" id="search" name="search" value="${context.req.query('search') ?? ''}" aria-label="${label}" placeholder="${advice}" aria-keyshortcuts="/" />
    <button>Search</button></form>`
}

/** The position of a page in its log, with links to the pages before and after it. */
export function pager<Entry>(
  context: Context,
  { total, newer, newerBefore, olderBefore }: Omit<LogPage<Entry>, 'entries'>,
  idOf: (entry: Entry) => string,
): Html | '' {
  if (total === 0) return ''
  const link = (rel: string, label: string, before: string | undefined) =>
    html`<a class="button" rel="${rel}" href="${linkWith(context, { before })}">${label}</a>`
  const last = Math.min(newer + A_PAGE, total)
  return html`<nav class="pager" aria-label="Pages">
    <span>${(newer + 1).toLocaleString('en')}–${last.toLocaleString('en')} of ${total.toLocaleString('en')}</span>
    ${newer === 0 ? '' : link('prev', 'Newer', newerBefore && idOf(newerBefore))}
    ${olderBefore === undefined ? '' : link('next', 'Older', idOf(olderBefore))}
  </nav>`
}
