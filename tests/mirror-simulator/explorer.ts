import { parentPort, workerData } from 'node:worker_threads'
import type { Exploration, Findings } from './exploration.ts'
import { plant } from './plant.ts'

// The thread that `explore` starts.
const { store, seed, from = 0, histories, bug }: Exploration = workerData
if (bug !== undefined) plant(bug)
// Only now, so that it contains the bug.
const { playHistory } = await import('./history.ts')
parentPort?.postMessage(await playAll())

async function playAll(): Promise<Findings> {
  const tally = {}
  for (let history = from; history < from + histories; history += 1) {
    const { violation } = await playHistory({ seed, history, store }, tally)
    if (violation !== undefined) return { played: history - from + 1, tally, found: { history, violation } }
  }
  return { played: histories, tally }
}
