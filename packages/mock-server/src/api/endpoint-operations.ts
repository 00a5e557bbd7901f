import type { Context, Hono } from 'hono'
import type * as z from 'zod/mini'
import type { Delivery } from '../delivery/delivery.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import { checked } from '../errors/checked.ts'
import { sentResource } from '../variants/sent-fields.ts'
import { type ApiContext, type ApiEnv, requireScope } from './authorisation.ts'
import { endpointChangesBody, endpointOnTheWire, newEndpointBody } from './endpoint-resource.ts'
import { notFound, Problem } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

export function mountEndpointOperations(api: Hono<ApiEnv>, parts: ServiceParts): void {
  const { endpoints, engine, sender, timeline, contract } = parts
  const allowed = requireScope(contract.endpointScope)
  const shown = (endpoint: Endpoint) => sentResource(endpointOnTheWire(endpoint, contract), contract)
  // Only the answers to a creation and to a rotation contain the signing secret (contract §2).
  const withSecret = (endpoint: Endpoint) => ({ ...shown(endpoint), signing_secret: endpoint.secrets.text })

  api.post('/v1/webhook-endpoints', allowed, async (context) => {
    const { url, events } = await readBody(context, newEndpointBody(contract))
    const endpoint = endpoints.create(context.get('integration'), sender.checkUrl(url), events)
    const created = withSecret(endpoint)
    if (contract.verification === 'before_response')
      await timeline.until(engine.waitForFirstVerificationAttempt(endpoint))
    return context.json(created, 201)
  })

  // The contract does not show the other operations (open point 14).
  if (contract.endpointOperations !== 'all') return

  api.get('/v1/webhook-endpoints', allowed, (context) =>
    context.json({ webhook_endpoints: endpoints.of(context.get('integration')).map(shown) }),
  )

  api.get('/v1/webhook-endpoints/:endpoint_id', allowed, (context) => context.json(shown(ownEndpoint(context))))

  api.patch('/v1/webhook-endpoints/:endpoint_id', allowed, async (context) => {
    const endpoint = ownEndpoint(context)
    const changes = await readBody(context, endpointChangesBody(contract))
    if (changes.url !== undefined) sender.checkUrl(changes.url)
    endpoints.update(endpoint, changes)
    return context.json(shown(endpoint))
  })

  api.delete('/v1/webhook-endpoints/:endpoint_id', allowed, (context) => {
    endpoints.delete(ownEndpoint(context))
    return context.body(null, 204)
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/test', allowed, (context) => {
    engine.sendTest(ownEndpoint(context))
    return context.body(null, 202)
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/rotate-secret', allowed, (context) => {
    const endpoint = ownEndpoint(context)
    endpoints.rotateSecret(endpoint)
    return context.json(withSecret(endpoint))
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/replay', allowed, (context) => {
    const endpoint = ownEndpoint(context)
    const delivery = ownDelivery(endpoint, context)
    if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') {
      // Open point 17.
      const message =
        'The webhook endpoint is not active, so no events are sent to it. Set its status to "active" first.'
      throw new Problem(409, { code: 'endpoint_not_active', message })
    }
    return context.json({ delivery_id: engine.replay(delivery, endpoint).delivery_id }, 202)
  })

  function ownEndpoint(context: ApiContext): Endpoint {
    const endpoint = endpoints.find(context.req.param('endpoint_id') ?? '')
    if (endpoint?.integration !== context.get('integration')) throw notFound('webhook endpoint')
    return endpoint
  }

  function ownDelivery({ endpoint_id }: Endpoint, context: ApiContext): Delivery {
    const delivery = engine.delivery(context.req.param('delivery_id') ?? '')
    if (delivery?.endpoint_id !== endpoint_id) throw notFound('delivery')
    return delivery
  }
}

async function readBody<Schema extends z.ZodMiniType>(context: Context, schema: Schema) {
  if (!/^application\/json\s*(;|$)/i.test(context.req.header('content-type') ?? '')) {
    const message = 'The content type of the request body is not JSON. Send "Content-Type: application/json".'
    throw new Problem(400, { code: 'invalid_content_type', message })
  }
  const json: unknown = await context.req.json().catch(() => {
    throw new Problem(400, { code: 'invalid_json', message: 'The request body is not JSON. Send a JSON object.' })
  })
  return checked('the request body', schema, json)
}
