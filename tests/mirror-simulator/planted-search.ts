import type { Findings } from './exploration.ts'
import { explore } from './explore.ts'
import type { PlantedBug } from './planted-bugs.ts'

/** Within how many histories a planted bug must be found. */
export const BOUND = 5_000

/** Plays histories until the bug shows, or the bound is reached. */
export function searchFor({ name, store = 'memory' }: PlantedBug, seed: number): Promise<Findings> {
  return explore({ store, seed, histories: BOUND, bug: name })
}
