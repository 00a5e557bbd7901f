import type { ServiceParts } from '../api/service-parts.ts'
import { faultRuleSchema } from '../faults/fault-rule.ts'
import { known, operation } from './operation.ts'

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
    summary: 'Remove all faults',
    status: 204,
    run: ({ faults }) => void faults.clear(),
  }),
  'GET /control/faults/:fault_id': operation({
    summary: 'Read a fault rule',
    run: (call) => faultView(faultOf(call, call.id('fault_id'))),
  }),
  'PUT /control/faults/:fault_id': operation({
    summary: 'Change the fault',
    input: faultRuleSchema,
    run: (call) => {
      const fault = faultOf(call, call.id('fault_id'))
      fault.replace(call.input)
      return faultView(fault)
    },
  }),
  'DELETE /control/faults/:fault_id': operation({
    summary: 'Remove the fault',
    status: 204,
    run: (call) => void faultOf(call, call.id('fault_id')).remove(),
  }),
}

type Fault = ServiceParts['faults']['injected'][number]

function faultOf({ faults }: ServiceParts, fault_id: string): Fault {
  const fault = faults.injected.find((injected) => injected.fault_id === fault_id)
  return known('fault', fault_id, fault)
}

function faultView({ fault_id, rule, struck }: Fault) {
  return { fault_id, rule, struck }
}
