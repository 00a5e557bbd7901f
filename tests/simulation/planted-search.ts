import type { Findings } from './exploration.ts'
import { explore } from './explore.ts'
import type { PlantedCase, Simulator } from './simulator.ts'

/** Within how many histories a planted bug must be found. */
export const BOUND = 5_000

/** The seed with which `npm run proof` looks for the planted bugs. */
const SEED_OF_PROOF = 1

/** Plays histories until the bug shows, or the bound is reached. */
export function searchFor(simulator: Simulator, { name, store }: PlantedCase, seed: number): Promise<Findings> {
  return explore(simulator, { store, seed, histories: BOUND, bug: name })
}

/** Looks for the bug first in the history that has shown it before, if one is recorded: the search for a rare bug takes up to an hour. */
export async function findAgain(simulator: Simulator, planted: PlantedCase): Promise<Findings> {
  const { name, store, history } = planted
  if (history !== undefined) {
    const again = await explore(simulator, { store, seed: SEED_OF_PROOF, first: history, histories: 1, bug: name })
    if (again.found !== undefined) return again
  }
  return await searchFor(simulator, planted, SEED_OF_PROOF)
}
