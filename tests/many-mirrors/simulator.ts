import type { Simulator } from '../simulation/simulator.ts'
import { plantedBugs } from './planted-bugs.ts'

export const simulator: Simulator = {
  script: 'simulate:many-mirrors',
  module: import.meta.url,
  loadPlayer: async () => (await import('./history.ts')).playHistory,
  plantedCases: plantedBugs.map(({ name, mistake }) => ({ name, mistake, store: 'memory' })),
  patchesOf: (bug) => plantedBugs.find(({ name }) => name === bug)?.patches,
}
