import { BOUND, searchFor } from './planted-search.ts'
import type { PlantedCase, Simulator } from './simulator.ts'

/** Looks for every planted bug by several seeds, tells of each as it goes, and answers the table for the page of the proof. */
export async function writePlantedTable(simulator: Simulator, seeds: readonly number[]): Promise<string> {
  const rows = ['| Bug | What is wrong | Store | Median | Most |', '| --- | --- | --- | ---: | ---: |']
  for (const planted of simulator.plantedCases) {
    const row = await rowOf(simulator, planted, seeds)
    console.log(row)
    rows.push(row)
  }
  return rows.join('\n')
}

async function rowOf(simulator: Simulator, planted: PlantedCase, seeds: readonly number[]): Promise<string> {
  const { name, mistake, store } = planted
  const counts: number[] = []
  for (const seed of seeds) {
    const { played, found } = await searchFor(simulator, planted, seed)
    if (found === undefined)
      throw new Error(`'${name}' was not found in the ${store} store, by seed ${seed}, within ${BOUND}`)
    counts.push(played)
  }
  counts.sort((one, other) => one - other)
  return `| ${name} | ${mistake} | ${store} | ${counts[Math.floor(counts.length / 2)]} | ${counts.at(-1)} |`
}
