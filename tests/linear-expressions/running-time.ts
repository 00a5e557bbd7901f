import { type Attack, textOf } from './attacks.ts'

/**
 * A quadratic expression takes more than 100 ms for the longest text, and a cubic one for the fifth. A linear one takes about 1 ms. In small steps, so
 * that the first suspicious length takes little more than it must.
 */
const LENGTHS = [300, 600, 1_000, 1_700, 3_000, 5_000, 8_500, 15_000, 27_000]
// The clock of a thread may be wrong by some milliseconds.
const SUSPICIOUS_MS = 30

/** For three times the length, a linear running time is three times as long, and a quadratic one nine times. */
const GREATEST_RATIO = 6

/**
 * Runs work on an attack at growing lengths, and compares the time for the first suspicious length with the time for three times the length.
 * The garbage collector can disturb a comparison, but not three of them.
 */
export function isLinear(work: (text: string) => unknown, attack: Attack): boolean {
  const length = LENGTHS.find((each) => fastest(work, textOf(attack, each)) >= SUSPICIOUS_MS)
  if (length === undefined) return true
  return [1, 2, 3].some(() => ratioAt(work, attack, length) <= GREATEST_RATIO)
}

function ratioAt(work: (text: string) => unknown, attack: Attack, length: number): number {
  return processorMs(work, textOf(attack, 3 * length)) / fastest(work, textOf(attack, length))
}

function fastest(work: (text: string) => unknown, text: string): number {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && fastestMs >= SUSPICIOUS_MS; run += 1)
    fastestMs = Math.min(fastestMs, processorMs(work, text))
  return fastestMs
}

/** The time of this thread on a processor. The time on the clock is longer on a busy machine, where a thread waits for its turn. */
function processorMs(work: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage()
  work(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
