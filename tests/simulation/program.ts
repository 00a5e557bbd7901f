import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Exploration, replayCommand } from './exploration.ts'
import { explore } from './explore.ts'
import type { HistoryName, StoreName } from './history.ts'
import { plant } from './plant.ts'
import type { Simulator } from './simulator.ts'

/**
 * What the script of a simulator does: it plays new histories over both stores; with `--history`, one again, in words;
 * with `--planted`, it looks for the planted bugs and writes the page of the proof.
 */
export async function runProgram(simulator: Simulator, writeProofPage: () => Promise<void>): Promise<void> {
  const { values: asked } = parseArgs({
    options: {
      seed: { type: 'string' },
      histories: { type: 'string', default: '10000' },
      history: { type: 'string' },
      store: { type: 'string' },
      bug: { type: 'string' },
      planted: { type: 'boolean', default: false },
    },
  })
  if (asked.planted) return writeProofPage()
  const { bug } = asked
  const seed = Number(asked.seed ?? randomInt(2 ** 31))
  const stores = storesOf(asked.store)
  if (asked.history !== undefined) {
    return playAgain(simulator, { seed, history: Number(asked.history), store: stores[0] }, bug)
  }
  const histories = Number(asked.histories)
  await Promise.all(stores.map((store) => playNew(simulator, { store, seed, histories, bug })))
}

function storesOf(name: string | undefined): readonly [StoreName, ...StoreName[]] {
  if (name === undefined) return ['memory', 'sqlite']
  if (name === 'memory' || name === 'sqlite') return [name]
  throw new Error('--store is memory or sqlite')
}

async function playNew(simulator: Simulator, exploration: Exploration): Promise<void> {
  const { store, seed, bug } = exploration
  const { played, tally, found } = await explore(simulator, exploration)
  console.log(`${store}: ${played} histories of seed ${seed}`, tally)
  if (found === undefined) return
  console.log(`${found.violation}\n${replayCommand(simulator, { seed, history: found.history, store }, bug)}`)
  process.exitCode = 1
}

async function playAgain(simulator: Simulator, name: HistoryName, bug: string | undefined): Promise<void> {
  if (bug !== undefined) plant(simulator, bug, name.store)
  const playHistory = await simulator.loadPlayer()
  const { lines, violation } = await playHistory(name, {}, true)
  console.log(`${lines.join('\n')}\n\n${violation ?? 'Every promise was kept.'}`)
  if (violation !== undefined) process.exitCode = 1
}
