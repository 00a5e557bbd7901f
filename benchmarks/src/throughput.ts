import { median } from './measure.ts'
import type { Row } from './report.ts'

const ROUNDS = 12
const TURN_MS = 250

/** One of the compared implementations. */
export interface Contender {
  readonly name: string
  /** Performs one operation. */
  readonly operate: () => Promise<unknown>
  /** Our lower limit of the ratio. */
  readonly aim?: number
  readonly isAlternative?: boolean
}

/**
 * Measures operations per second. The ratio is relative to the first contender.
 *
 * @param driver  the begin of the column's name
 */
export async function measureThroughput(
  driver: string,
  contenders: readonly Contender[],
  parallel: number,
): Promise<readonly Row[]> {
  const turns = contenders.map((contender) => ({ ...contender, rates: [] as number[] }))
  for (const { operate } of turns) await rateOf(operate, parallel) // Only warms up.
  for (let round = 0; round < ROUNDS; round += 1) {
    // Alternates the direction, so that no contender always runs after the same one.
    for (const { operate, rates } of round % 2 === 0 ? turns : turns.toReversed()) {
      rates.push(await rateOf(operate, parallel))
    }
  }
  const floor = turns[0]?.rates ?? []
  return turns.map(({ operate: _, rates, ...contender }) => {
    // The ratio of each round: a slow moment of the machine affects all contenders.
    const ratio = median(rates.map((rate, round) => rate / (floor[round] ?? Number.NaN)))
    return { ...contender, column: `${driver}, ${parallel} at once`, value: median(floor) * ratio, ratio }
  })
}

async function rateOf(operate: () => Promise<unknown>, parallel: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const work = async () => {
    while (performance.now() - began < TURN_MS) {
      await operate()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return done / ((performance.now() - began) / 1000)
}
