import type { Simulator } from '../simulation/simulator.ts'
import { plantedByLag } from './planted-lag-bugs.ts'

/** Histories with replicas of the service that lag by up to half a minute. */
export const simulator: Simulator = {
  script: 'simulate:mirror-lag',
  module: import.meta.url,
  loadPlayer: async () => (await import('./history.ts')).playLaggingHistory,
  plantedCases: plantedByLag.map(({ name, mistake, store = 'memory', history }) => ({ name, mistake, store, history })),
  patchesOf: (bug) => plantedByLag.find(({ name }) => name === bug)?.patches,
}
