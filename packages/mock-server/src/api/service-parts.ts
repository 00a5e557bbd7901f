import type { Timeline } from '../clock/timeline.ts'
import type { AttemptSender } from '../delivery/attempt-sender.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { FaultRules } from '../faults/faults.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Owners } from '../world/owners.ts'
import type { RequestLog } from './request-log.ts'

/** The parts of a service that its APIs and its console use. */
export interface ServiceParts {
  readonly baseUrl: () => string
  readonly contract: Contract
  readonly timeline: Timeline
  readonly owners: Owners
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  readonly sender: AttemptSender
  readonly faults: FaultRules
  readonly requestLog: RequestLog
}
