import type { Timeline } from '../clock/timeline.ts'
import type { Courier } from '../delivery/courier.ts'
import type { DeliveryEngine } from '../delivery/delivery-engine.ts'
import type { Endpoints } from '../delivery/endpoints.ts'
import type { Faults } from '../faults/faults.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { World } from '../world/world.ts'

/** What of a service its console shows and moves. */
export interface ConsoleParts {
  readonly baseUrl: () => string
  readonly contract: Contract
  readonly timeline: Timeline
  readonly world: World
  readonly endpoints: Endpoints
  readonly engine: DeliveryEngine
  readonly courier: Courier
  readonly faults: Faults
}
