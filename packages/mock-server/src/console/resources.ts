import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Attempt } from '../delivery/attempt.ts'
import { attemptDots, stretch } from './delivery-attempts.ts'
import { type Html, instant, mark } from './page.ts'

/** A resource of the control API: an entry of a list. */
export type Resource = Readonly<Record<string, unknown>>

/** The values of a field to pick from, by the name of the field. */
export type Choices = Readonly<Record<string, readonly (readonly [value: string, label: string])[] | undefined>>

const MOST_NOTES = 100

/** What the fields of the control API refer to: of one owner, or of all. */
export function choicesOf({ owners, endpoints }: ServiceParts, { owner_id }: { readonly owner_id?: unknown }): Choices {
  const worlds = owners.only(typeof owner_id === 'string' ? owner_id : undefined)
  const channels = worlds.flatMap((world) =>
    world.channels().map(({ channel_id, name }) => [channel_id, name] as const),
  )
  const places = new Map([['personal', 'Personal notes'], ...channels])
  return {
    owner_id: owners.all().map(({ owner_id, name }) => [owner_id, name]),
    note_id: worlds.flatMap(({ notes }) =>
      notes.newest(MOST_NOTES).map(({ note_id, title }) => [note_id, title || note_id] as const),
    ),
    endpoint_id: endpoints.all().map(({ endpoint_id, url }) => [endpoint_id, url]),
    integration_id: worlds.flatMap((world) =>
      world.integrations.all().map((integration) => {
        const owner = owners.all().length === 1 ? '' : `${world.name}: `
        return [
          integration.integration_id,
          owner + integration.places.map((place) => places.get(place)).join(', '),
        ] as const
      }),
    ),
    place: [...places],
    channels,
    scopes: owners.first.scopes.map((scope) => [scope, scope]),
  }
}

/** The sections that show what an identifier refers to. */
const SECTIONS: Readonly<Record<string, string>> = {
  note_id: 'notes',
  endpoint_id: 'endpoints',
  integration_id: 'integrations',
  replay_of: 'deliveries',
}

/** How fields are shown that are no plain text. */
const SHOWN: Readonly<Record<string, (value: never) => Html | string>> = {
  at: (at: number) => instant(at),
  attempts: (attempts: readonly Attempt[]) => attemptDots(attempts),
  authentication: (text: string) => mark(text),
  duration_ms: (ms: number) => stretch(ms),
  path: pathText,
  query: (query: Record<string, string>) => new URLSearchParams(query).toString(),
  status: (status: string | number) => mark(String(status)),
}

/** What a page shows of a field of a resource; `undefined` for nothing. */
export function shownField(parts: ServiceParts, name: string, value: unknown): Html | string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const shown = SHOWN[name.endsWith('_at') ? 'at' : name]
  if (shown !== undefined) return shown(value as never)
  const section = SECTIONS[name]
  const isReference = section !== undefined || name === 'owner_id' || name === 'place'
  if (isReference) return reference(parts, name, String(value), section)
  return Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value)
}

/** A name, with a link if there is a page. */
function reference(
  parts: ServiceParts,
  name: string,
  id: string,
  section: string | undefined,
): Html | string | undefined {
  if (name === 'owner_id' && parts.owners.all().length === 1) return undefined
  const label = choicesOf(parts, {})[name]?.find(([known]) => known === id)?.[1]
  if (section === undefined) return label ?? id
  if (name === 'endpoint_id' && label === undefined) return 'deleted'
  const text = name === 'note_id' || label === undefined ? id : label
  return html`<a href="/console/${section}/${id}"><code>${text}</code></a>`
}

/** A path, with a link to the note or the endpoint that it names. */
function pathText(path: string): Html {
  const begin = Math.max(path.lastIndexOf('note_'), path.lastIndexOf('whe_'))
  const [id = ''] = (begin === -1 ? undefined : /^[a-z]+_\w+/.exec(path.slice(begin))) ?? []
  const [before, after] = id === '' ? [path, ''] : [path.slice(0, begin), path.slice(begin + id.length)]
  const section = id.startsWith('note') ? 'notes' : 'endpoints'
  return html`${before}${id === '' ? '' : html`<a href="/console/${section}/${id}">${id}</a>`}${after}`
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${textOf(part)}`)
    .join(', ')
}
