import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { EndpointChanges } from '../delivery/endpoints.ts'
import { checked, fields } from '../errors/checked.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { invalidJson } from './problem.ts'

interface NewEndpoint {
  readonly url: string
  readonly events: readonly EventKind[]
}

/**
 * The body of the request that creates an endpoint (contract §4).
 *
 * @throws a 400 when it is not JSON, `MockServerError` `option_invalid` when a field is wrong
 */
export async function readNewEndpoint(context: Context, contract: Contract): Promise<NewEndpoint> {
  const body = fields({ url: z.string(), events: eventsSchema(contract) })
  const { url, events } = checked('the request body', body, await jsonOf(context))
  return { url, events: [...new Set(events)] }
}

/**
 * The body of the request that changes an endpoint (open point 14).
 *
 * @throws a 400 when it is not JSON, `MockServerError` `option_invalid` when a field is wrong
 */
export async function readEndpointChanges(context: Context, contract: Contract): Promise<EndpointChanges> {
  const body = fields({
    url: z.optional(z.string()),
    events: z.optional(eventsSchema(contract)),
    status: z.optional(z.literal('active')),
  })
  const { events, ...changes } = checked('the request body', body, await jsonOf(context))
  return { ...changes, events: events && [...new Set(events)] }
}

async function jsonOf(context: Context): Promise<unknown> {
  return await context.req.json().catch(() => {
    throw invalidJson()
  })
}

function eventsSchema({ endpointKinds }: Contract) {
  const kinds: readonly EventKind[] =
    endpointKinds === 'accepted' ? [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS] : NOTE_EVENT_KINDS
  return z.array(z.enum(kinds)).check(z.minLength(1))
}
