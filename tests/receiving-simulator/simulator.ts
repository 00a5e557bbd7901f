import type { PlantedCase, Simulator } from '../simulation/simulator.ts'
import { plantedBugs } from './planted-bugs.ts'

export const simulator: Simulator = {
  script: 'simulate',
  module: import.meta.url,
  loadPlayer: async () => (await import('./history.ts')).playHistory,
  plantedCases: plantedBugs.flatMap(({ name, mistake, patches }) =>
    (['memory', 'sqlite'] as const)
      .filter((store) => patches[store] !== undefined)
      .map((store): PlantedCase => ({ name, mistake, store })),
  ),
  patchesOf: (bug, store) => plantedBugs.find(({ name }) => name === bug)?.patches[store],
}
