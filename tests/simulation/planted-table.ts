import { BOUND, searchFor } from './planted-search.ts'
import type { PlantedCase, Simulator } from './simulator.ts'

/** Searches for each planted bug with several seeds, prints each row, and returns the table for the page of the proof. */
export async function writePlantedTable(simulator: Simulator, seeds: readonly number[]): Promise<string> {
  const rows = ['| Bug | What is wrong | Store | Median | Most |', '| --- | --- | --- | ---: | ---: |']
  let previous: string | undefined
  for (const planted of simulator.plantedCases) {
    const { name, mistake } = planted
    // A bug that is planted in several stores is described once.
    const bug = name === previous ? '| | |' : `| ${name} | ${mistake} |`
    const row = `${bug} ${await resultOf(simulator, planted, seeds)}`
    previous = name
    console.log(row)
    rows.push(row)
  }
  return rows.join('\n')
}

async function resultOf(simulator: Simulator, planted: PlantedCase, seeds: readonly number[]): Promise<string> {
  const { name, store } = planted
  const counts: number[] = []
  for (const seed of seeds) {
    const { played, found } = await searchFor(simulator, planted, seed)
    if (found === undefined)
      throw new Error(`'${name}' was not found in the ${store} store, by seed ${seed}, within ${BOUND}`)
    counts.push(played)
  }
  counts.sort((one, other) => one - other)
  return `${store} | ${counts[Math.floor(counts.length / 2)]} | ${counts.at(-1)} |`
}
