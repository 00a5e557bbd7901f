import { median } from './measure.ts'
import type { Row } from './report.ts'

const ROUNDS = 20
const TURN_MS = 250

/** One way to do what is compared. */
export interface Contender {
  readonly name: string
  /** Does it once. */
  readonly operate: () => Promise<unknown>
  /** The share of the first contender's throughput that we hold ourselves to. */
  readonly share?: number
}

/** Operations a second with so many at once. The ratio is that of throughput to the first contender's. */
export async function measureThroughput(contenders: readonly Contender[], atOnce: number): Promise<readonly Row[]> {
  const turns = contenders.map((contender) => ({ ...contender, rates: [] as number[] }))
  for (const { operate } of turns) await rateOf(operate, atOnce) // Only warms up.
  for (let round = 0; round < ROUNDS; round += 1) {
    // To and fro, so that nobody always follows the same one.
    for (const { operate, rates } of round % 2 === 0 ? turns : turns.toReversed()) {
      rates.push(await rateOf(operate, atOnce))
    }
  }
  const floor = turns[0]?.rates ?? []
  return turns.map(({ name, rates, share }) => {
    // Of each round by itself: what slows the machine down slows all of it down.
    const ratio = median(rates.map((rate, round) => rate / (floor[round] ?? Number.NaN)))
    const value = median(floor) * ratio
    const least = share === undefined ? {} : { least: share * median(floor) }
    return { name: `${name}, ${atOnce} at once`, value, ratio, ...least }
  })
}

async function rateOf(operate: () => Promise<unknown>, atOnce: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const work = async () => {
    while (performance.now() - began < TURN_MS) {
      await operate()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return done / ((performance.now() - began) / 1000)
}
