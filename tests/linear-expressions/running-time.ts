import { type Attack, textOf } from './attacks.ts'

/** A quadratic expression takes more than 100 ms for the longest text, and a cubic one for the second. A linear one takes about 1 ms. */
const LENGTHS = [500, 2_000, 12_000, 48_000]
const SUSPICIOUS_MS = 20

/** For four times the length, a linear running time is four times as long, and a quadratic one sixteen times. */
const GREATEST_RATIO = 10

/**
 * Runs work on an attack at growing lengths, and compares the time for the first suspicious length with the time for four times the length. A
 * busy machine or the garbage collector can disturb a comparison, but not three of them.
 */
export function isLinear(work: (text: string) => unknown, attack: Attack): boolean {
  const length = LENGTHS.find((each) => fastest(work, textOf(attack, each)) >= SUSPICIOUS_MS)
  if (length === undefined) return true
  return [1, 2, 3].some(() => ratioAt(work, attack, length) <= GREATEST_RATIO)
}

function ratioAt(work: (text: string) => unknown, attack: Attack, length: number): number {
  return fastest(work, textOf(attack, 4 * length)) / fastest(work, textOf(attack, length))
}

/** The shortest of three times, because other processes only make a run slower. */
function fastest(work: (text: string) => unknown, text: string): number {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && fastestMs >= SUSPICIOUS_MS; run += 1) {
    const beganAt = performance.now()
    work(text)
    fastestMs = Math.min(fastestMs, performance.now() - beganAt)
  }
  return fastestMs
}
