import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Html } from './page.ts'

/** A link to a note; `undefined` if there is no such note. */
export function noteLink({ owners }: ServiceParts, note_id = ''): Html | undefined {
  const isKnown = owners.all().some(({ notes }) => notes.find(note_id) !== undefined)
  return isKnown ? html`<a href="/console/notes/${note_id}"><code>${note_id}</code></a>` : undefined
}

/** A link to an endpoint, with its URL; `undefined` if there is no such endpoint. */
export function endpointLink({ endpoints }: ServiceParts, endpoint_id = ''): Html | undefined {
  const url = endpoints.find(endpoint_id)?.url
  return url === undefined ? undefined : html`<a href="/console/endpoints/${endpoint_id}"><code>${url}</code></a>`
}

/** The links from a note or an endpoint to the logs. */
export function logLinks(filter: 'note' | 'endpoint', id: string): Html {
  return html`<a class="button" href="/console/deliveries?${filter}=${id}">Show its deliveries</a>
    <a class="button" href="/console/requests?search=${id}">Show its requests</a>`
}
