import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../webhook-endpoint.ts'
import { identifier, list, optional, record, text } from './check.ts'
import { adoptId } from './identifier-alias.ts'
import { readShape } from './read-shape.ts'

const fields = {
  endpoint_id: identifier,
  url: optional(text),
  events: optional(list(text)),
  status: optional(text),
  created_at: optional(text),
}
const endpoint = record(fields)
const endpointWithSecret = record({ ...fields, signing_secret: identifier })

/**
 * Reads a webhook endpoint of the wire (contract §2; open point 13).
 *
 * @param what  names the value in the error
 * @throws ShapeError
 */
export function readWebhookEndpoint(resource: unknown, what = 'the endpoint'): WebhookEndpoint {
  return readShape(endpoint, adoptId('endpoint_id', resource), what)
}

/**
 * Reads the answer to a creation or a rotation, the one place that shows a signing secret (contract §2).
 *
 * @throws ShapeError
 */
export function readWebhookEndpointWithSecret(resource: unknown): WebhookEndpointWithSecret {
  return readShape(endpointWithSecret, adoptId('endpoint_id', resource), 'the endpoint')
}
