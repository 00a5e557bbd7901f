import { isNoteEventKind, NOTE_EVENT_KINDS, type NoteEventKind } from '@notewire/protocol'
import type { Context } from 'hono'
import type { EndpointChanges } from '../delivery/endpoints.ts'
import { invalidBody, invalidJson } from './problem.ts'

/**
 * The body of the request that creates an endpoint (contract §4).
 *
 * @throws a 400 for what is no JSON, a 422 for what is no such body
 */
export async function readNewEndpoint(
  context: Context,
): Promise<{ readonly url: string; readonly events: readonly NoteEventKind[] }> {
  const body = await readObject(context, ['url', 'events'])
  return { url: readUrl(body['url']), events: readEvents(body['events']) }
}

/**
 * The body of the request that changes an endpoint (open point 14).
 *
 * @throws a 400 for what is no JSON, a 422 for what is no such body
 */
export async function readEndpointChanges(context: Context): Promise<EndpointChanges> {
  const { url, events, status } = await readObject(context, ['url', 'events', 'status'])
  if (status !== undefined && status !== 'active') {
    throw invalidBody('"status" can only be set to "active", which takes a disabled endpoint up again.')
  }
  return {
    url: url === undefined ? undefined : readUrl(url),
    events: events === undefined ? undefined : readEvents(events),
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
  if (typeof url !== 'string' || parsed === null || !['https:', 'http:'].includes(parsed.protocol)) {
    throw invalidBody('"url" must be an absolute https URL, or an http one for development.')
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw invalidBody('"url" must not hold a user name or a password.')
  return url
}

function readEvents(events: unknown): readonly NoteEventKind[] {
  const kinds: readonly unknown[] = Array.isArray(events) ? [...new Set(events)] : []
  if (kinds.length > 0 && kinds.every(isSubscribable)) return kinds
  throw invalidBody(`"events" must list at least one event kind, out of ${NOTE_EVENT_KINDS.join(', ')}, and no other.`)
}

function isSubscribable(kind: unknown): kind is NoteEventKind {
  return typeof kind === 'string' && isNoteEventKind(kind)
}
