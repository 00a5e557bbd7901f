import * as z from 'zod/mini'
import type { ServiceParts } from '../api/service-parts.ts'
import { durationSchema } from '../clock/duration.ts'
import { fields } from '../errors/checked.ts'
import { faultRuleSchema } from '../faults/fault-rule.ts'
import { deliveryOperations } from './delivery-operations.ts'
import { endpointOperations } from './endpoint-operations.ts'
import { noteOperations } from './note-operations.ts'
import { type ControlOperation, operation, timestamp, unknown } from './operation.ts'
import { ownerOperations } from './owner-operations.ts'
import { trigger, triggerSchema } from './trigger.ts'

export const CONTROL_OPERATIONS = {
  'POST /control/trigger': operation({
    summary: 'Make an event happen',
    input: triggerSchema,
    run: (call) => trigger(call, call.input),
  }),
  ...endpointOperations,
  ...deliveryOperations,
  ...noteOperations,
  ...ownerOperations,
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
  'DELETE /control/faults/:fault_id': operation({
    summary: 'Remove a fault rule',
    status: 204,
    run: ({ faults, id }) => {
      const fault = faults.injected.find(({ fault_id }) => fault_id === id('fault_id'))
      if (fault === undefined) throw unknown('fault_unknown', `fault ${id('fault_id')}`)
      fault.remove()
      return undefined
    },
  }),
  'GET /control/clock': operation({ summary: 'Read the clock', run: clockView }),
  'POST /control/clock/advance': operation({
    summary: 'Advance the virtual clock',
    input: fields({ by: durationSchema.check(z.describe('How far: "26h40m", "90s", or milliseconds.')) }),
    run: async (call) => {
      await call.timeline.advance(call.input.by)
      return clockView(call)
    },
  }),
  'POST /control/clock/settle': operation({
    summary: 'Advance a virtual clock until no delivery, retry or summary is pending',
    run: async (call) => {
      // With the machine's clock, this would wait for the longest retry delay.
      if (call.timeline.mode === 'virtual') await call.timeline.settled()
      return clockView(call)
    },
  }),
} satisfies Readonly<Record<`${'GET' | 'POST' | 'PATCH' | 'DELETE'} /control/${string}`, ControlOperation>>

function faultView({ fault_id, rule, struck }: ServiceParts['faults']['injected'][number]): object {
  return { fault_id, rule, struck }
}

function clockView({ timeline }: ServiceParts): object {
  return { mode: timeline.mode, now: timestamp(timeline.now()) }
}
