import { parentPort, workerData } from 'node:worker_threads'
import type { Exploration, Findings } from './exploration.ts'
import type { ExplorerMessage } from './explore.ts'
import { plant } from './plant.ts'
import type { SimulatorModule } from './simulator.ts'

// The thread that `explore` starts.
const { module, exploration }: { module: string; exploration: Exploration } = workerData
const { simulator }: SimulatorModule = await import(module)
const report = (message: ExplorerMessage) => parentPort?.postMessage(message)
report({ findings: await playAll(exploration) })

async function playAll({ store, seed, first = 0, histories, bug }: Exploration): Promise<Findings> {
  if (bug !== undefined) plant(simulator, bug, store)
  const playHistory = await simulator.loadPlayer()
  const tally = {}
  for (let history = first; history < first + histories; history += 1) {
    report({ begins: history })
    const { violation } = await playHistory({ seed, history, store }, tally).catch(failure)
    if (violation !== undefined) return { played: history - first + 1, tally, found: { history, violation } }
  }
  return { played: histories, tally }
}

function failure(error: unknown) {
  return { violation: `It fails: ${error instanceof Error ? error.stack : String(error)}` }
}
