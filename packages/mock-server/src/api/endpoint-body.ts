import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from 'hono'
import type { EndpointChanges } from '../delivery/endpoints.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { invalidBody, invalidJson } from './problem.ts'

/**
 * The body of the request that creates an endpoint (contract §4).
 *
 * @throws a 400 for what is no JSON, a 422 for what is no such body
 */
export async function readNewEndpoint(
  context: Context,
  contract: Contract,
): Promise<{ readonly url: string; readonly events: readonly EventKind[] }> {
  const body = await readObject(context, ['url', 'events'])
  return { url: readUrl(body['url']), events: readEvents(body['events'], contract) }
}

/**
 * The body of the request that changes an endpoint (open point 14).
 *
 * @throws a 400 for what is no JSON, a 422 for what is no such body
 */
export async function readEndpointChanges(context: Context, contract: Contract): Promise<EndpointChanges> {
  const { url, events, status } = await readObject(context, ['url', 'events', 'status'])
  if (status !== undefined && status !== 'active') {
    throw invalidBody('"status" can only be set to "active", which takes a disabled endpoint up again.')
  }
  return {
    url: url === undefined ? undefined : readUrl(url),
    events: events === undefined ? undefined : readEvents(events, contract),
    status,
  }
}

async function readObject<Field extends string>(
  context: Context,
  fields: readonly Field[],
): Promise<{ readonly [Known in Field]?: unknown }> {
  const body: unknown = await context.req.json().catch(() => {
    throw invalidJson()
  })
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody('The request body must be a JSON object.')
  }
  const unknown = Object.keys(body).filter((field) => !(fields as readonly string[]).includes(field))
  if (unknown.length > 0) throw invalidBody(`The body takes ${fields.join(', ')}, and nothing else.`)
  return body
}

function readUrl(url: unknown): string {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (typeof url !== 'string' || parsed === null) throw invalidBody('"url" must be an absolute URL.')
  if (parsed.username !== '' || parsed.password !== '')
    throw invalidBody('"url" must not hold a user name or a password.')
  return url
}

function readEvents(events: unknown, { endpointKinds }: Contract): readonly EventKind[] {
  const known: readonly EventKind[] =
    endpointKinds === 'accepted' ? [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS] : NOTE_EVENT_KINDS
  const kinds: readonly unknown[] = Array.isArray(events) ? [...new Set(events)] : []
  const isSubscribable = (kind: unknown): kind is EventKind => (known as readonly unknown[]).includes(kind)
  if (kinds.length > 0 && kinds.every(isSubscribable)) return kinds
  throw invalidBody(`"events" must list at least one event kind, out of ${known.join(', ')}, and no other.`)
}
