import type { Timeline } from '../clock/timeline.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'

/** What every part that simulates something needs. */
export interface SimulationParts {
  readonly timeline: Timeline
  /** A stream of its own. */
  readonly random: SeededRandom
  readonly makeIdentifier: MakeIdentifier
  readonly contract: Contract
}
