import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { CONTROL_OPERATIONS, type Route } from '../control/control-operations.ts'
import type { ControlOperation } from '../control/operation.ts'
import { alternativesOf, defOf, type Field, fieldsOf, valuesOf } from './fields.ts'
import type { Html } from './page.ts'
import { type Choices, choicesOf } from './resources.ts'

interface FormOptions {
  /** Values that the form sends without asking. */
  readonly given?: Readonly<Record<string, string>>
  /** What the fields contain at first. */
  readonly values?: Readonly<Record<string, unknown>>
  /** The page that follows: `{note_id}` is a field of the answer. */
  readonly next: string
  /** The values of other fields to pick from. */
  readonly choices?: Choices
}

/** The forms of an operation: one for each alternative of its input. A deletion must be opened first. */
export function formsOf(parts: ServiceParts, route: Route, options: FormOptions): readonly Html[] {
  const { input, summary }: ControlOperation = CONTROL_OPERATIONS[route]
  const { given = {}, values = {} } = options
  const choices = { ...choicesOf(parts, values), ...options.choices }
  const ids = idsOf(route).filter((name) => !(name in given))
  if (ids.some((name) => choices[name]?.length === 0)) return []
  const known = alternativesOf(input).filter((each) => (fieldsOf(each)[0]?.name ?? '') in values)
  return (known.length === 1 ? known : alternativesOf(input)).map((alternative) => {
    const asked = fieldsOf(alternative).filter(({ name }) => !(name in given))
    const picks = ids.map((name) => labelled(name, selectOf(name, choices[name] ?? [], undefined)))
    const fields = asked.map((field) => fieldOf(field, values, choices))
    const content = html`${picks} ${fields} <div><button class="primary">${summary}</button></div>`
    if (!route.startsWith('DELETE')) return html`<div class="card">${formFor(route, options, content)}</div>`
    return html`<details class="card losing"><summary>${summary} …</summary>${formFor(route, options, content)}</details>`
  })
}

/** A button that performs an operation with given values. */
export function button(route: Route, label: string, options: FormOptions, id = label): Html {
  return formFor(route, options, html`<button id="${id}">${label}</button>`)
}

/** The names of the parameters in the path of an operation. */
export function idsOf(route: string): readonly string[] {
  return [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
}

function formFor(route: Route, { given = {}, next }: FormOptions, content: Html): Html {
  const hidden = Object.entries({ operation: route, next, ...given })
  return html`<form method="post" action="/console/act">
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)} ${content}</form>`
}

/** A form that narrows a list: its fields are those of the query. */
export function filterForm(parts: ServiceParts, route: Route, query: Readonly<Record<string, string>>): Html | '' {
  const { input }: ControlOperation = CONTROL_OPERATIONS[route]
  const shown = fieldsOf(input).filter(({ name }) => name !== 'before' && name !== 'limit')
  const fields = shown.map((field) => fieldOf({ ...field, hint: '' }, query, choicesOf(parts, {}))).filter(Boolean)
  return fields.length === 0 ? '' : html`<form role="search" class="search">${fields} <button>Search</button></form>`
}

function fieldOf(field: Field, values: Readonly<Record<string, unknown>>, choices: Choices): Html | '' {
  const { name, schema, isOptional, when } = field
  const listed = choices[name] ?? valuesOf(schema)?.map((text) => [text, text] as const)
  const isList = defOf(schema).type === 'array'
  // What has one value, or none, need not be asked for.
  if (isOptional && !isList && choices[name] !== undefined && choices[name].length < 2) return ''
  const value = valueIn(values, field)
  if (isList && listed !== undefined) return boxesOf(name, listed, Array.isArray(value) ? value : [])
  const shown =
    listed === undefined
      ? labelled(name, inputFor(field, value), field.hint)
      : labelled(name, selectOf(name, listed, value, isOptional ? field.hint : undefined))
  if (when === undefined) return shown
  return html`<div data-when="${when.field}" data-values="${when.values.join(' ')}">${shown}</div>`
}

function valueIn(values: Readonly<Record<string, unknown>>, { name, initial }: Field): unknown {
  const [outer = '', inner = ''] = name.split('.')
  const part = values[outer] ?? initial
  return inner === '' ? part : (part as Record<string, unknown> | undefined)?.[inner]
}

function inputFor({ name, schema, isOptional, when }: Field, value: unknown): Html {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? undefined)
  if (name === 'search')
    return html`<input type="search" id="search" name="search" value="${text}" aria-keyshortcuts="/" />`
  const isLong = defOf(schema).type === 'array' || name === 'content' || name === 'summary'
  if (isLong) return html`<textarea name="${name}" rows="2">${text}</textarea>`
  return html`<input name="${name}" value="${text}" ${isOptional || when !== undefined ? '' : html`required`} />`
}

function labelled(name: string, control: Html, hint = ''): Html {
  return html`<div class="field"><label>${labelOf(name)} ${control}</label>${hint === '' ? '' : html`<p class="dim">${hint}</p>`}</div>`
}

/** @param hint  names the default; `undefined` if one must be chosen */
function selectOf(name: string, listed: NonNullable<Choices[string]>, value: unknown, hint?: string): Html {
  const option = ([text, label]: readonly [string, string]) =>
    html`<option value="${text}" ${text === value ? html`selected` : ''}>${label}</option>`
  const none = html`<option value="">${defaultIn(hint ?? '') ?? '–'}</option>`
  return html`<select name="${name}">${hint === undefined ? '' : none}${listed.map(option)}</select>`
}

/** The default that a hint names: `Default: active.` */
function defaultIn(hint: string): string | undefined {
  const [, named] = hint.split('Default: ', 2)
  return named?.includes('.') ? named.slice(0, named.lastIndexOf('.')) : undefined
}

/** A box for each value of a list. The empty text tells a list without entries from a form without the field. */
function boxesOf(name: string, listed: NonNullable<Choices[string]>, checked: readonly unknown[]): Html {
  const box = ([text, label]: readonly [string, string]) =>
    html`<label class="box"><input type="checkbox" name="${name}" value="${text}" ${checked.includes(text) ? html`checked` : ''} /> ${label}</label>`
  return html`<fieldset><legend>${labelOf(name)}</legend><input type="hidden" name="${name}" value="" />${listed.map(box)}</fieldset>`
}

/** `Recording session` for `recording_session_id`. */
export function labelOf(name: string): string {
  const text = name
    .replace(/^.*\./, '')
    .replace(/_(id|at|ms)$/, '')
    .replaceAll('_', ' ')
  return text === 'url' ? 'URL' : text.charAt(0).toUpperCase() + text.slice(1)
}
