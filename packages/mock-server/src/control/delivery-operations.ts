import * as z from 'zod/mini'
import { fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { deliveryOf, newestDeliveries } from './delivery-log.ts'
import { endpointOf } from './endpoint-operations.ts'
import { logQuery } from './log-page.ts'
import { operation, ownerFilter } from './operation.ts'

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
    run: (call) => {
      const { note_id: note, endpoint_id: endpoint, owner_id, status, search, ...part } = call.input
      const owner = owner_id && call.owners.find(owner_id).owner_id
      const { deliveries } = newestDeliveries(call, { note, endpoint, owner, status, search }, part)
      return { deliveries: deliveries.map(({ delivery, attempts }) => ({ ...delivery, attempts })) }
    },
  }),
  'GET /control/deliveries/:delivery_id': operation({
    summary: 'Read a delivery with its attempts',
    run: ({ engine, id }) => {
      const { delivery, attempts } = deliveryOf(engine, id('delivery_id'))
      return { ...delivery, attempts }
    },
  }),
  'POST /control/deliveries/:delivery_id/replay': operation({
    summary: 'Deliver the event of a delivery again',
    status: 202,
    run: ({ endpoints, engine, contract, id }) => {
      const { delivery } = deliveryOf(engine, id('delivery_id'))
      const endpoint = endpointOf(endpoints, delivery.endpoint_id)
      if (endpoint.state !== 'active' && contract.whileInactive === 'dropped') throw notActive()
      return { delivery_id: engine.replay(delivery, endpoint).delivery_id }
    },
  }),
}

function notActive(): MockServerError {
  const problem = 'the endpoint of the delivery is not active, and the service sends nothing to it'
  return new MockServerError('endpoint_not_active', problem, 'Verify the endpoint first.')
}
