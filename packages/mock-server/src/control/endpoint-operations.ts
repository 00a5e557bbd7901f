import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import * as z from 'zod/mini'
import { endpointResource } from '../api/endpoint-resource.ts'
import type { Endpoint } from '../delivery/endpoint.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import { fields } from '../errors/checked.ts'
import { known, operation, ownerFilter, ownerOrFirst } from './operation.ts'

const url = z.string().check(z.describe('Where deliveries are sent.'))
const events = z.array(z.enum(NOTE_EVENT_KINDS)).check(z.minLength(1), z.describe('The event kinds to subscribe to.'))

export const endpointOperations = {
  'GET /control/endpoints': operation({
    summary: 'List the endpoints of all integrations',
    input: fields(ownerFilter),
    run: ({ endpoints, owners, input: { owner_id } }) => ({
      endpoints: owners.only(owner_id).flatMap((world) => endpoints.ofOwner(world).map(endpointView)),
    }),
  }),
  'POST /control/endpoints': operation({
    summary: 'Register an endpoint',
    status: 201,
    input: fields({
      url,
      events: z._default(events, [...NOTE_EVENT_KINDS]),
      integration_id: z
        .optional(z.string())
        .check(z.describe("The integration that it belongs to. Default: that of the owner's own key.")),
      ...ownerOrFirst,
    }),
    run: ({ endpoints, owners, sender, input: { url, events, integration_id, owner_id } }) => {
      const integration =
        integration_id === undefined
          ? owners.find(owner_id).firstIntegration
          : owners.integration(integration_id).integration
      return withSecret(endpoints.create(integration, sender.checkUrl(url), events))
    },
  }),
  'GET /control/endpoints/:endpoint_id': operation({
    summary: 'Read an endpoint',
    run: ({ endpoints, id }) => endpointView(endpointOf(endpoints, id('endpoint_id'))),
  }),
  'PATCH /control/endpoints/:endpoint_id': operation({
    summary: 'Change the endpoint',
    input: fields({
      url: z.optional(url).check(z.describe('Another URL is verified.')),
      events: z.optional(events),
      status: z.optional(z.literal('active')).check(z.describe('Verifies an inactive endpoint again.')),
    }),
    run: (call) => {
      const { url, events, status } = call.input
      if (url !== undefined) call.sender.checkUrl(url)
      const endpoint = endpointOf(call.endpoints, call.id('endpoint_id'))
      // An unchanged URL is not verified again.
      call.endpoints.update(endpoint, { url: url === endpoint.url ? undefined : url, events, status })
      return endpointView(endpoint)
    },
  }),
  'POST /control/endpoints/:endpoint_id/rotate-secret': operation({
    summary: 'Rotate the signing secret',
    run: ({ endpoints, id }) => {
      const endpoint = endpointOf(endpoints, id('endpoint_id'))
      endpoints.rotateSecret(endpoint)
      return withSecret(endpoint)
    },
  }),
  'DELETE /control/endpoints/:endpoint_id': operation({
    summary: 'Delete the endpoint',
    status: 204,
    run: ({ endpoints, id }) => void endpoints.delete(endpointOf(endpoints, id('endpoint_id'))),
  }),
}

/** @throws `MockServerError` `endpoint_unknown` */
export function endpointOf(endpoints: Endpoints, endpoint_id: string): Endpoint {
  return known('endpoint', endpoint_id, endpoints.find(endpoint_id))
}

function endpointView(endpoint: Endpoint) {
  const { integration_id, owner } = endpoint.integration
  return { ...endpointResource(endpoint), integration_id, owner_id: owner.owner_id }
}

function withSecret(endpoint: Endpoint) {
  return { ...endpointView(endpoint), signing_secret: endpoint.secrets.text }
}
