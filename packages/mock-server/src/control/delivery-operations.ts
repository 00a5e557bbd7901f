import { RETRY_DELAYS_MS } from '@notewire/protocol'
import * as z from 'zod/mini'
import type { Attempt } from '../delivery/attempt.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import { fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { endpointOf } from './endpoint-operations.ts'
import { logQuery, matcherOf, pageOf } from './log-page.ts'
import { known, operation, ownerFilter } from './operation.ts'

/** A delivery with its attempts in the order in which they were sent, including duplicates. */
export interface LoggedDelivery extends Omit<Delivery, 'attempts'> {
  readonly attempts: readonly Attempt[]
  /** The note of the event; `undefined` for an event about an endpoint. */
  readonly note_id: string | undefined
  /** When the next attempt is sent; `undefined` if there is none, or if the last one is in flight. */
  readonly next_attempt_at: number | undefined
}

export const deliveryOperations = {
  'GET /control/deliveries': operation({
    summary: 'List deliveries with their attempts, the newest first',
    input: fields({
      note_id: z.optional(z.string()),
      endpoint_id: z.optional(z.string()),
      status: z.optional(z.enum(['pending', 'delivered', 'given_up', 'lost'])),
      ...ownerFilter,
      ...logQuery,
    }),
    run: ({ engine, endpoints, owners, input: { note_id, endpoint_id, status, owner_id, search, ...position } }) => {
      const owner = owner_id && owners.find(owner_id).owner_id
      const isFound = matcherOf(search)
      const textsOf = (delivery: Delivery) => {
        const { delivery_id, event_id, event_type, webhook_id, endpoint_id, status } = delivery
        const texts = [delivery_id, event_id, event_type, webhook_id, endpoint_id, status]
        return [...texts, noteIdIn(delivery), endpoints.find(endpoint_id)?.url]
      }
      const matches = (delivery: Delivery) =>
        (endpoint_id === undefined || delivery.endpoint_id === endpoint_id) &&
        (owner === undefined || delivery.owner_id === owner) &&
        (status === undefined || delivery.status === status) &&
        (note_id === undefined || noteIdIn(delivery) === note_id) &&
        isFound(() => textsOf(delivery))
      const part = pageOf(engine.deliveries.entries, ({ delivery_id }) => delivery_id, matches, position)
      const found = known('delivery', position.before, part)
      const page = { ...found.page, dropped: engine.deliveries.dropped }
      return { deliveries: withAttempts(engine, found.entries), page }
    },
  }),
  'GET /control/deliveries/:delivery_id': operation({
    summary: 'Read a delivery with its attempts',
    run: ({ engine, id }) => ({ ...withAttempts(engine, [deliveryOf(engine, id('delivery_id'))])[0] }),
  }),
  'POST /control/deliveries/:delivery_id/replay': operation({
    summary: 'Replay the event',
    status: 202,
    run: ({ endpoints, engine, contract, id }) => {
      const delivery = deliveryOf(engine, id('delivery_id'))
      const endpoint = endpointOf(endpoints, delivery.endpoint_id)
      if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') throw notActive()
      return { delivery_id: engine.replay(delivery, endpoint).delivery_id }
    },
  }),
}

function noteIdIn({ body }: Pick<Delivery, 'body'>): string | undefined {
  // The service wrote the body as JSON, and identifiers contain no characters that JSON escapes.
  return /"note_id":"([^"]+)"/.exec(body)?.[1]
}

function deliveryOf(engine: DeliveryEngine, delivery_id: string): Delivery {
  return known('delivery', delivery_id, engine.delivery(delivery_id))
}

function withAttempts(engine: DeliveryEngine, deliveries: readonly Delivery[]): readonly LoggedDelivery[] {
  const made = new Map<string, Attempt[]>(deliveries.map(({ delivery_id }) => [delivery_id, []]))
  for (const attempt of engine.attempts.entries) made.get(attempt.delivery_id)?.push(attempt)
  return deliveries.map((delivery) => {
    const attempts = made.get(delivery.delivery_id) ?? []
    return { ...delivery, attempts, note_id: noteIdIn(delivery), next_attempt_at: nextAttemptAt(delivery, attempts) }
  })
}

function nextAttemptAt({ status }: Delivery, attempts: readonly Attempt[]): number | undefined {
  const last = attempts.findLast(({ duplicate }) => !duplicate)
  if (status !== 'pending' || last === undefined || last.outcome.kind === 'in_flight') return undefined
  const delayMs = RETRY_DELAYS_MS[last.attempt - 1]
  return delayMs === undefined ? undefined : last.at + last.duration_ms + delayMs
}

function notActive(): MockServerError {
  const problem = 'the endpoint of the delivery is not active, and the service sends nothing to it'
  return new MockServerError('endpoint_not_active', problem, 'Verify the endpoint first.')
}
