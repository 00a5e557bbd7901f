import type { Timeline } from '../clock/timeline.ts'
import type { Courier } from '../delivery/courier.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Owners } from '../world/owners.ts'

/** The parts of a service that its APIs and its console show and change. */
export interface ServiceParts {
  readonly baseUrl: () => string
  readonly contract: Contract
  readonly timeline: Timeline
  readonly owners: Owners
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  readonly courier: Courier
  readonly faults: FaultBook
}
