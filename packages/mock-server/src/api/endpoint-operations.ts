import type { Hono } from 'hono'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { type ApiContext, type ApiEnv, allow } from './authorisation.ts'
import { endpointChangesBody, newEndpointBody, readBody } from './endpoint-body.ts'
import { endpointOnTheWire } from './endpoint-resource.ts'
import { endpointNotActive, notFound } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

/** Managing webhook endpoints (contract §4; open points 13, 14, 18 and 27). */
export function mountEndpointOperations(api: Hono<ApiEnv>, parts: ServiceParts): void {
  const { owners, endpoints, engine, courier, timeline, contract } = parts
  const allowed = allow(owners)(contract.endpointScope)

  api.post('/v1/webhook-endpoints', allowed, async (context) => {
    const { url, events } = await readBody(context, newEndpointBody(contract))
    const endpoint = endpoints.create(context.get('integration'), await courier.admit(url), events)
    const created = withSecret(endpoint, contract)
    if (contract.verification === 'before_response') await timeline.until(engine.verificationTried(endpoint))
    return context.json(created, 201)
  })

  if (contract.endpointOperations === 'all') mountFurtherOperations(api, parts)
}

/** The operations that the contract does not show (open point 14). */
function mountFurtherOperations(api: Hono<ApiEnv>, parts: ServiceParts): void {
  const { owners, endpoints, engine, courier, contract } = parts
  const allowed = allow(owners)(contract.endpointScope)
  const shown = (endpoint: Endpoint) => endpointOnTheWire(endpoint, contract)

  api.get('/v1/webhook-endpoints', allowed, (context) =>
    context.json({ webhook_endpoints: endpoints.of(context.get('integration')).map(shown) }),
  )

  api.get('/v1/webhook-endpoints/:endpoint_id', allowed, (context) =>
    context.json(shown(ownEndpoint(endpoints, context))),
  )

  api.patch('/v1/webhook-endpoints/:endpoint_id', allowed, async (context) => {
    ownEndpoint(endpoints, context)
    const changes = await readBody(context, endpointChangesBody(contract))
    if (changes.url !== undefined) await courier.admit(changes.url)
    // It may have been deleted in the meantime.
    const endpoint = ownEndpoint(endpoints, context)
    endpoints.update(endpoint, changes)
    return context.json(shown(endpoint))
  })

  api.delete('/v1/webhook-endpoints/:endpoint_id', allowed, (context) => {
    endpoints.delete(ownEndpoint(endpoints, context))
    return context.body(null, 204)
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/test', allowed, (context) => {
    engine.sendTest(ownEndpoint(endpoints, context))
    return context.body(null, 202)
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/rotate-secret', allowed, (context) => {
    const endpoint = ownEndpoint(endpoints, context)
    endpoints.rotateSecret(endpoint)
    return context.json(withSecret(endpoint, contract))
  })

  api.post('/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/replay', allowed, (context) => {
    const endpoint = ownEndpoint(endpoints, context)
    const delivery = ownDelivery(engine, endpoint, context)
    if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') throw endpointNotActive()
    const { delivery_id } = engine.replay(delivery, endpoint)
    return context.json({ delivery_id }, 202)
  })
}

/** The answer to a creation and to a rotation, the only ones that contain the signing secret (contract §2). */
function withSecret(endpoint: Endpoint, contract: Contract): object {
  return { ...endpointOnTheWire(endpoint, contract), signing_secret: endpoint.secrets.text }
}

function ownEndpoint(endpoints: Endpoints, context: ApiContext): Endpoint {
  const endpoint = endpoints.find(context.req.param('endpoint_id') ?? '')
  if (endpoint?.integration !== context.get('integration')) throw notFound('webhook endpoint')
  return endpoint
}

function ownDelivery(engine: DeliveryEngine, { endpoint_id }: Endpoint, context: ApiContext): Delivery {
  const delivery = engine.delivery(context.req.param('delivery_id') ?? '')
  if (delivery?.endpoint_id !== endpoint_id) throw notFound('delivery')
  return delivery
}
