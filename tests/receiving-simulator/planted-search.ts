import type { Findings } from './exploration.ts'
import { explore } from './explore.ts'
import type { StoreName } from './history.ts'
import { type PlantedBug, plantedBugs } from './planted-bugs.ts'

/** Within how many histories a planted bug must be found. */
export const BOUND = 5_000

/** One bug in one store. */
export interface PlantedCase {
  readonly bug: PlantedBug
  readonly store: StoreName
}

/** Every bug, in every store that it can be planted in. */
export const plantedCases: readonly PlantedCase[] = plantedBugs.flatMap((bug) =>
  (['memory', 'sqlite'] as const).filter((store) => bug.patches[store]).map((store) => ({ bug, store })),
)

/** Plays histories until the bug shows, or the bound is reached. */
export function searchFor({ bug, store }: PlantedCase, seed: number): Promise<Findings> {
  return explore({ store, seed, histories: BOUND, bug: bug.name })
}
