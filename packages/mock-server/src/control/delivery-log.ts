import { RETRY_DELAYS_MS } from '@notewire/protocol'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Attempt } from '../delivery/attempt.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import { type LogPage, matcherOf, pageOf } from './log-page.ts'
import { unknown } from './operation.ts'

export interface LoggedDelivery {
  readonly delivery: Delivery
  /** In the order in which they were sent, including duplicates. */
  readonly attempts: readonly Attempt[]
}

export interface DeliveryFilter {
  readonly note?: string | undefined
  readonly endpoint?: string | undefined
  readonly owner?: string | undefined
  readonly status?: string | undefined
  /** Words of the identifiers, the kind of the event, the status, or the URL of the endpoint. */
  readonly search?: string | undefined
}

/**
 * A page of the deliveries that match a filter.
 *
 * @throws `MockServerError` `delivery_unknown` if there is no delivery `before`
 */
export function newestDeliveries(
  { engine, endpoints }: Pick<ServiceParts, 'engine' | 'endpoints'>,
  { note, endpoint, owner, status, search }: DeliveryFilter,
  { before, ...part }: { readonly before?: string | undefined; readonly skip?: number; readonly limit: number },
): Omit<LogPage<Delivery>, 'entries'> & { readonly deliveries: readonly LoggedDelivery[] } {
  const isFound = matcherOf(search)
  const textsOf = (delivery: Delivery) => {
    const { delivery_id, event_id, event_type, webhook_id, endpoint_id, status } = delivery
    const texts = [delivery_id, event_id, event_type, webhook_id, endpoint_id, status]
    return [...texts, noteIdIn(delivery), endpoints.find(endpoint_id)?.url]
  }
  const matches = (delivery: Delivery) =>
    (endpoint === undefined || delivery.endpoint_id === endpoint) &&
    (owner === undefined || delivery.owner_id === owner) &&
    (status === undefined || delivery.status === status) &&
    (note === undefined || noteIdIn(delivery) === note) &&
    isFound(() => textsOf(delivery))
  const start = before === undefined ? undefined : knownDelivery(engine, before)
  const { entries, ...page } = pageOf(engine.deliveries, matches, { ...part, before: start })
  return { ...page, deliveries: withAttempts(engine, entries) }
}

/** @throws `MockServerError` `delivery_unknown` */
export function deliveryOf(engine: DeliveryEngine, delivery_id: string): LoggedDelivery {
  const delivery = knownDelivery(engine, delivery_id)
  return { delivery, attempts: engine.attempts.filter((attempt) => attempt.delivery_id === delivery_id) }
}

/** The note of an event; `undefined` for an event about an endpoint. */
export function noteIdIn({ body }: Delivery): string | undefined {
  // The service wrote the body as JSON, and identifiers contain no characters that JSON escapes.
  return /"note_id":"([^"]+)"/.exec(body)?.[1]
}

/** When the next attempt of a delivery is sent; `undefined` if there is none, or if the last one is in flight. */
export function nextAttemptAt({ delivery, attempts }: LoggedDelivery): number | undefined {
  const last = attempts.findLast(({ duplicate }) => !duplicate)
  if (delivery.status !== 'pending' || last === undefined || last.outcome.kind === 'in_flight') return undefined
  const delayMs = RETRY_DELAYS_MS[last.attempt - 1]
  return delayMs === undefined ? undefined : last.at + last.duration_ms + delayMs
}

function knownDelivery(engine: DeliveryEngine, delivery_id: string): Delivery {
  const delivery = engine.delivery(delivery_id)
  if (delivery === undefined) throw unknown('delivery_unknown', `delivery ${delivery_id}`)
  return delivery
}

function withAttempts(engine: DeliveryEngine, deliveries: readonly Delivery[]): LoggedDelivery[] {
  const attempts = new Map<string, Attempt[]>(deliveries.map(({ delivery_id }) => [delivery_id, []]))
  for (const attempt of engine.attempts) attempts.get(attempt.delivery_id)?.push(attempt)
  return deliveries.map((delivery) => ({ delivery, attempts: attempts.get(delivery.delivery_id) ?? [] }))
}
