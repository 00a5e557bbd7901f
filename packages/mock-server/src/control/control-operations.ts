import * as z from 'zod/mini'
import type { ServiceParts } from '../api/service-parts.ts'
import { durationSchema } from '../clock/duration.ts'
import { fields } from '../errors/checked.ts'
import { deliveryOperations } from './delivery-operations.ts'
import { endpointOperations } from './endpoint-operations.ts'
import { faultOperations } from './fault-operations.ts'
import { noteOperations } from './note-operations.ts'
import { type ControlOperation, operation, timestamp } from './operation.ts'
import { ownerOperations } from './owner-operations.ts'
import { requestOperations } from './request-operations.ts'
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
  ...requestOperations,
  ...faultOperations,
  'GET /control/clock': operation({ summary: 'Read the clock', run: clockView }),
  'POST /control/clock/advance': operation({
    summary: 'Advance the clock',
    input: fields({ by: durationSchema.check(z.describe('How far: "26h40m", "90s", or milliseconds.')) }),
    run: async (call) => {
      await call.timeline.advance(call.input.by)
      return clockView(call)
    },
  }),
  'POST /control/clock/settle': operation({
    summary: 'Advance the clock until nothing is pending',
    run: async (call) => {
      // With the machine's clock, this would wait for the longest retry delay.
      if (call.timeline.mode === 'virtual') await call.timeline.settled()
      return clockView(call)
    },
  }),
} satisfies Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /control/${string}`, ControlOperation>>

/** The method and path of an operation. */
export type Route = keyof typeof CONTROL_OPERATIONS

function clockView({ timeline }: ServiceParts) {
  return { mode: timeline.mode, now: timestamp(timeline.now()) }
}
