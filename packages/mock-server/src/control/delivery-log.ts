import { RETRY_DELAYS_MS, type WebhookEvent } from '@notewire/protocol'
import type { Attempt } from '../delivery/attempt.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import { unknown } from './operation.ts'

export interface LoggedDelivery {
  readonly delivery: Delivery
  readonly event: WebhookEvent
  /** In the order in which they were sent, including duplicates. */
  readonly attempts: readonly Attempt[]
}

export interface DeliveryFilter {
  readonly note?: string | undefined
  readonly endpoint?: string | undefined
  readonly owner?: string | undefined
  readonly status?: string | undefined
}

/** The deliveries that match a filter, the newest first. */
export function newestDeliveries(
  engine: DeliveryEngine,
  filter: DeliveryFilter,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): { readonly deliveries: readonly LoggedDelivery[]; readonly more: boolean } {
  const found: Delivery[] = []
  for (let index = engine.deliveries.length - 1; index >= 0 && found.length <= skip + limit; index--) {
    const delivery = engine.deliveries[index]
    if (delivery !== undefined && matches(delivery, filter)) found.push(delivery)
  }
  const shown = found.slice(skip, skip + limit)
  return { deliveries: withAttempts(engine, shown), more: found.length > skip + limit }
}

/** @throws `MockServerError` `delivery_unknown` */
export function deliveryOf(engine: DeliveryEngine, delivery_id: string): LoggedDelivery {
  const delivery = engine.delivery(delivery_id)
  const [logged] = delivery === undefined ? [] : withAttempts(engine, [delivery])
  if (logged === undefined) throw unknown('delivery_unknown', `delivery ${delivery_id}`)
  return logged
}

/** When the next attempt of a delivery is sent; `undefined` if there is none, or if the last one is in flight. */
export function nextAttemptAt({ delivery, attempts }: LoggedDelivery): number | undefined {
  const last = attempts.findLast(({ duplicate }) => !duplicate)
  if (delivery.status !== 'pending' || last === undefined || last.outcome.kind === 'in_flight') return undefined
  const delayMs = RETRY_DELAYS_MS[last.attempt - 1]
  return delayMs === undefined ? undefined : last.at + last.duration_ms + delayMs
}

function withAttempts(engine: DeliveryEngine, deliveries: readonly Delivery[]): LoggedDelivery[] {
  const attempts = new Map<string, Attempt[]>(deliveries.map(({ delivery_id }) => [delivery_id, []]))
  for (const attempt of engine.attempts) attempts.get(attempt.delivery_id)?.push(attempt)
  return deliveries.map((delivery) => ({
    delivery,
    event: JSON.parse(delivery.body),
    attempts: attempts.get(delivery.delivery_id) ?? [],
  }))
}

function matches(delivery: Delivery, { note, endpoint, owner, status }: DeliveryFilter): boolean {
  if (endpoint !== undefined && delivery.endpoint_id !== endpoint) return false
  if (owner !== undefined && delivery.owner_id !== owner) return false
  if (status !== undefined && delivery.status !== status) return false
  // The service wrote the body as JSON, and identifiers contain no characters that JSON escapes.
  return note === undefined || delivery.body.includes(`"note_id":"${note}"`)
}
