import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import { checked, fields } from '../errors/checked.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { invalidJson } from './problem.ts'

type BodyContract = Pick<Contract, 'endpointKinds'>

const url = z
  .string()
  .check(
    z.meta({ format: 'uri', description: 'A public HTTPS URL that answers directly: redirects are not followed.' }),
  )

/** The body of the request that creates an endpoint (contract §4). */
export const newEndpointBody = (contract: BodyContract) => fields({ url, events: eventsSchema(contract) })

/** The body of the request that changes an endpoint (open point 14). */
export const endpointChangesBody = (contract: BodyContract) =>
  fields({
    url: z.optional(url).check(z.describe('A URL is verified again, even if it is unchanged.')),
    events: z.optional(eventsSchema(contract)),
    status: z.optional(z.literal('active')).check(z.describe('Verifies a disabled endpoint again.')),
  })

/**
 * Reads the body of a request.
 *
 * @throws a 400 when it is not JSON, `MockServerError` `option_invalid` when a field is wrong
 */
export async function readBody<Schema extends z.ZodMiniType>(context: Context, schema: Schema) {
  return checked('the request body', schema, await jsonOf(context))
}

async function jsonOf(context: Context): Promise<unknown> {
  return await context.req.json().catch(() => {
    throw invalidJson()
  })
}

function eventsSchema({ endpointKinds }: BodyContract) {
  const kinds: readonly EventKind[] =
    endpointKinds === 'accepted' ? [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS] : NOTE_EVENT_KINDS
  return z.array(z.enum(kinds)).check(z.minLength(1), z.describe('The event kinds to subscribe to.'))
}
