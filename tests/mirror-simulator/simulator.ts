import type { Simulator } from '../simulation/simulator.ts'
import { plantedBugs } from './planted-bugs.ts'

export const simulator: Simulator = {
  script: 'simulate:mirror',
  module: import.meta.url,
  loadPlayer: async () => (await import('./history.ts')).playHistory,
  plantedCases: plantedBugs.map(({ name, mistake, store = 'memory', history }) => ({ name, mistake, store, history })),
  patchesOf: (bug) => plantedBugs.find(({ name }) => name === bug)?.patches,
}
