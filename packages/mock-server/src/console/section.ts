import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { CONTROL_OPERATIONS, type Route } from '../control/control-operations.ts'
import type { PagePosition } from '../control/log-page.ts'
import type { ControlOperation } from '../control/operation.ts'
import { fieldsOf } from './fields.ts'
import { filterForm, formsOf, idsOf, labelOf } from './form.ts'
import { type Html, page, table } from './page.ts'
import { type Resource, shownField } from './resources.ts'

/** A section of the console: the list of an operation, and a page for each of its entries. */
export interface Section {
  readonly title: string
  readonly list: Route
  readonly read: Route
  readonly label: (item: Resource) => string
  /** The fields of an entry that the list shows; the first stands below its label. */
  readonly columns: readonly string[]
  readonly empty: Html
  /** What creates an entry. */
  readonly creates: readonly Route[]
  /** Whether these forms come before the list. */
  readonly createsFirst?: boolean
  /** What changes an entry, in addition to the operations on its path. */
  readonly alsoChanges?: readonly Route[]
  /** Whether nothing can change an entry any more. */
  readonly isFinal?: (item: Resource) => boolean
  readonly buttons?: (id: string) => Html
  /** What stands below the list, and below the facts of an entry. */
  readonly below?: (items: readonly Resource[]) => Html | ''
  readonly body?: (item: Resource) => Html
}

const A_PAGE = 50
/** Fields that have a place of their own on the page of an entry. */
const OWN_PLACE = ['answer', 'body']

export function mountSection(pages: Hono, parts: ServiceParts, section: Section): void {
  const name = section.list.slice(section.list.lastIndexOf('/') + 1)
  const path = `/console/${name}`
  const [idName = ''] = idsOf(section.read)
  const changes = [...changesAt(section.read.replace('GET ', '')), ...(section.alsoChanges ?? [])]

  pages.get(path, async (context) => {
    const { title, list, creates, createsFirst, empty, below } = section
    const query = queryOf(context, list)
    const answer = await resourceOf(list, '', { ...query, ...(isLog(list) && { limit: A_PAGE }) })
    const items = answer[name] as readonly Resource[]
    const values = query['owner_id'] === undefined ? {} : { owner_id: query['owner_id'] }
    const forms = creates.flatMap((route) => {
      const next = route === `POST /control/${name}` ? `${path}/{${idName}}` : path
      return formsOf(parts, route, { values, next })
    })
    const nothing = Object.keys(query).length === 0 ? empty : NOTHING_FOUND
    const content = html`<div class="heading"><h1>${title}</h1>${filterForm(parts, list, query)}</div>
      ${createsFirst && columnsOf(forms)}
      <section id="${name}" data-live>
        ${items.length === 0 ? nothing : tableOf(items)}
        ${isLog(list) && pager(path, query, answer['page'] as PagePosition)} ${below?.(items)}
      </section>
      ${!createsFirst && columnsOf(forms)}`
    return context.html(page(parts, { title, section: path, content }))
  })

  pages.get(`${path}/:id`, async (context) => {
    const id = context.req.param('id')
    const item = await resourceOf(section.read, id, {})
    const title = section.label(item)
    const facts = Object.keys(item).filter((field) => !OWN_PLACE.includes(field))
    const content = html`<p class="up"><a href="${path}">${section.title}</a></p>
      <section id="item" data-live>
        <div class="heading"><h1>${title}</h1><div class="acts">${section.buttons?.(id)}</div></div>
        ${table('facts', Object.fromEntries(facts.map((field) => [labelOf(field), shownOf(item, field)])))}
        ${section.body?.(item)}
      </section>
      ${columnsOf(section.isFinal?.(item) ? [] : changes.flatMap((route) => changeForms(route, id, item)))}`
    return context.html(page(parts, { title, section: path, content }))
  })

  async function resourceOf(route: Route, id: string, input: object): Promise<Resource> {
    const { perform }: ControlOperation = CONTROL_OPERATIONS[route]
    return (await perform(parts, () => id, input)) as Resource
  }

  function changeForms(route: Route, id: string, item: Resource): readonly Html[] {
    const values = (item['rule'] as Resource | undefined) ?? item
    const shown = route.endsWith('/replay') ? `${path}/{${idName}}` : `${path}/${id}`
    const next = route === `DELETE /control/${name}/:${idName}` ? path : shown
    return formsOf(parts, route, { given: { [idName]: id }, values, choices: choicesIn(item, route), next })
  }

  /** An entry does not link to itself. */
  function shownOf(item: Resource, field: string): Html | string | undefined {
    return field === idName ? String(item[field]) : shownField(parts, field, item[field])
  }

  /** Without the columns that are empty in every row. */
  function tableOf(items: readonly Resource[]): Html {
    const [below = '', ...others] = section.columns
    const fields = others.filter((field) => items.some((item) => shownOf(item, field) !== undefined))
    const cell = (item: Resource, field: string) =>
      html`<td><span class="label">${labelOf(field)}</span> ${shownOf(item, field)}</td>`
    return html`<table>
      <thead><tr><th>Entry</th>${fields.map((field) => html`<th>${labelOf(field)}</th>`)}</tr></thead>
      <tbody>${items.map((item) => {
        const id = String(item[idName])
        return html`<tr><td class="main"><a id="${id}" href="${path}/${id}">${section.label(item)}</a>
          <span class="dim">${shownOf(item, below)}</span></td>${fields.map((field) => cell(item, field))}</tr>`
      })}</tbody>
    </table>`
  }
}

const NOTHING_FOUND = html`<div class="empty"><h2>Nothing found</h2><p>New entries appear here without a reload.</p></div>`

function columnsOf(forms: readonly Html[]): Html | '' {
  return forms.length === 0 ? '' : html`<section class="columns">${forms}</section>`
}

/** The parameters of a page that its operation knows. */
function queryOf(context: Context, list: Route): Readonly<Record<string, string>> {
  const given = Object.entries(context.req.query())
  return Object.fromEntries(given.filter(([name, text]) => text !== '' && namesOf(list).includes(name)))
}

/** The operations that change something at a path, or below it. */
function changesAt(path: string): readonly Route[] {
  const routes = Object.keys(CONTROL_OPERATIONS) as Route[]
  return routes.filter((route) => route.includes(` ${path}`) && !route.startsWith('GET'))
}

function isLog(list: Route): boolean {
  return namesOf(list).includes('limit')
}

function namesOf(list: Route): readonly string[] {
  const { input }: ControlOperation = CONTROL_OPERATIONS[list]
  return fieldsOf(input).map(({ name }) => name)
}

/** The parts of an entry that an operation can act on, such as the open sessions of a note. */
function choicesIn(item: Resource, route: Route) {
  const parts = Object.values(item).filter(Array.isArray).flat() as readonly Resource[]
  const choices = idsOf(route).map((name) => {
    const found = parts.filter((part) => typeof part === 'object' && name in part && part['ended'] !== true)
    return [name, found.map((part) => [String(part[name]), String(part[name])] as const)] as const
  })
  return Object.fromEntries(choices)
}

/** The position of a page in its log, with links to the pages before and after it. */
function pager(path: string, query: Readonly<Record<string, string>>, position: PagePosition): Html {
  const { total, newer, newer_before, older_before, dropped = 0 } = position
  const link = (label: string, before = '') =>
    html`<a class="button" href="${path}?${new URLSearchParams({ ...query, before })}">${label}</a>`
  const number = (count: number) => count.toLocaleString('en')
  const range = `${number(newer + 1)}–${number(Math.min(newer + A_PAGE, total))} of ${number(total)}`
  return html`<nav class="pager" aria-label="Pages">
    <span>${total > 0 && range} ${dropped > 0 && `${number(dropped)} older ones were dropped.`}</span>
    ${newer > 0 && link('Newer', newer_before)} ${older_before && link('Older', older_before)}</nav>`
}
