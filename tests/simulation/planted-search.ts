import type { Findings } from './exploration.ts'
import { explore } from './explore.ts'
import type { PlantedCase, Simulator } from './simulator.ts'

/** Within how many histories a planted bug must be found. */
export const BOUND = 5_000

/** Plays histories until the bug shows, or the bound is reached. */
export function searchFor(simulator: Simulator, { name, store }: PlantedCase, seed: number): Promise<Findings> {
  return explore(simulator, { store, seed, histories: BOUND, bug: name })
}
