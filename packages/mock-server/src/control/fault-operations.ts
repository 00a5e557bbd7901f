import type { ServiceParts } from '../api/service-parts.ts'
import { faultRuleSchema } from '../faults/fault-rule.ts'
import { operation, unknown } from './operation.ts'

export const faultOperations = {
  'GET /control/faults': operation({
    summary: 'List the fault rules in force',
    run: ({ faults }) => ({ faults: faults.injected.map(faultView) }),
  }),
  'POST /control/faults': operation({
    summary: 'Inject a fault',
    status: 201,
    input: faultRuleSchema,
    run: ({ faults, input }) => faultView(faults.inject(input)),
  }),
  'DELETE /control/faults': operation({
    summary: 'Remove every fault rule',
    status: 204,
    run: ({ faults }) => void faults.clear(),
  }),
  'PUT /control/faults/:fault_id': operation({
    summary: 'Replace a fault rule. Its calls are counted from 1 again',
    input: faultRuleSchema,
    run: (call) => {
      const fault = faultOf(call, call.id('fault_id'))
      fault.replace(call.input)
      return faultView(fault)
    },
  }),
  'DELETE /control/faults/:fault_id': operation({
    summary: 'Remove a fault rule',
    status: 204,
    run: (call) => void faultOf(call, call.id('fault_id')).remove(),
  }),
}

type Fault = ServiceParts['faults']['injected'][number]

/** @throws `MockServerError` `fault_unknown` */
export function faultOf({ faults }: ServiceParts, fault_id: string): Fault {
  const fault = faults.injected.find((injected) => injected.fault_id === fault_id)
  if (fault === undefined) throw unknown('fault_unknown', `fault ${fault_id}`)
  return fault
}

function faultView({ fault_id, rule, struck }: Fault): object {
  return { fault_id, rule, struck }
}
