import type { Hono } from 'hono'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { Integrations } from '../world/integration.ts'
import { type ApiContext, type ApiEnv, allow } from './authorisation.ts'
import { readEndpointChanges, readNewEndpoint } from './endpoint-body.ts'
import { endpointResource } from './endpoint-resource.ts'
import { notFound } from './problem.ts'

interface EndpointOperationsParts {
  readonly integrations: Integrations
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  /** Waits, before the creation is answered, for what the scenario puts there. */
  readonly beforeCreationAnswer: (endpoint: Endpoint) => Promise<void>
}

/** Managing webhook endpoints (contract §4; open points 13, 14, 18 and 27). */
export function mountEndpointOperations(api: Hono<ApiEnv>, parts: EndpointOperationsParts): void {
  const { integrations, endpoints, engine, beforeCreationAnswer } = parts
  const allowed = allow(integrations)('webhooks:manage')

  api.post('/v1/webhook-endpoints', allowed, async (context) => {
    const { url, events } = await readNewEndpoint(context)
    const endpoint = endpoints.create(context.get('integration'), url, events)
    const created = { ...endpointResource(endpoint), signing_secret: endpoint.secret.text }
    await beforeCreationAnswer(endpoint)
    return context.json(created, 201)
  })

  api.get('/v1/webhook-endpoints', allowed, (context) =>
    context.json({ webhook_endpoints: endpoints.of(context.get('integration')).map(endpointResource) }),
  )

  api.get('/v1/webhook-endpoints/:endpoint_id', allowed, (context) =>
    context.json(endpointResource(ownEndpoint(endpoints, context))),
  )

  api.patch('/v1/webhook-endpoints/:endpoint_id', allowed, async (context) => {
    const endpoint = ownEndpoint(endpoints, context)
    endpoints.update(endpoint, await readEndpointChanges(context))
    return context.json(endpointResource(endpoint))
  })

  api.delete('/v1/webhook-endpoints/:endpoint_id', allowed, (context) => {
    endpoints.delete(ownEndpoint(endpoints, context))
    return context.body(null, 204)
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/test', allowed, (context) => {
    engine.sendTest(ownEndpoint(endpoints, context))
    return context.body(null, 202)
  })
}

function ownEndpoint(endpoints: Endpoints, context: ApiContext): Endpoint {
  const endpoint = endpoints.find(context.req.param('endpoint_id') ?? '')
  if (endpoint?.integration !== context.get('integration')) throw notFound('webhook endpoint')
  return endpoint
}
