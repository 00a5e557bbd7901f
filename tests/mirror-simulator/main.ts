import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { replayCommand } from './exploration.ts'
import { explore } from './explore.ts'
import type { HistoryName, StoreName } from './history-name.ts'
import { plant } from './plant.ts'
import { writeProofPage } from './proof-page.ts'

// `npm run simulate:mirror` plays new histories over both stores; with `--history`, one again, in words; with `--planted`, it
// looks for the planted bugs and writes the page of the proof.
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
const seed = Number(asked.seed ?? randomInt(2 ** 31))

if (asked.planted) await writeProofPage()
else if (asked.history === undefined) await playNew()
else await playAgain({ seed, history: Number(asked.history), store: storeOf(asked.store ?? 'memory') })

async function playNew(): Promise<void> {
  const stores = asked.store === undefined ? (['memory', 'sqlite'] as const) : [storeOf(asked.store)]
  await Promise.all(
    stores.map(async (store) => {
      const { played, tally, found } = await explore({
        store,
        seed,
        histories: Number(asked.histories),
        bug: asked.bug,
      })
      console.log(`${store}: ${played} histories of seed ${seed}`, tally)
      if (found === undefined) return
      console.log(`${found.violation}\n${replayCommand({ seed, history: found.history, store }, asked.bug)}`)
      process.exitCode = 1
    }),
  )
}

async function playAgain(name: HistoryName): Promise<void> {
  if (asked.bug !== undefined) plant(asked.bug)
  // Only now, so that it contains the bug.
  const { playHistory } = await import('./history.ts')
  const { lines, violation } = await playHistory(name, {}, true)
  console.log(`${lines.join('\n')}\n\n${violation ?? 'Every promise was kept.'}`)
  if (violation !== undefined) process.exitCode = 1
}

function storeOf(name: string): StoreName {
  if (name === 'memory' || name === 'sqlite') return name
  throw new Error('--store is memory or sqlite')
}
