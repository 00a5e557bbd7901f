import { durationMs } from '../clock/duration.ts'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { type Disorder, disorderOf } from './disorder.ts'

/** What becomes of one attempt. */
export interface AttemptFate {
  readonly duplicated: boolean
  readonly lost: 'request' | 'answer' | 'nothing'
  /** By how much its time is off, in milliseconds. */
  readonly skewMs: number
  readonly signedByOldSecret: boolean
  /** Where in its body another character stands, from 0 to 1. */
  readonly corrupted: number | undefined
  /** The faults among the above that rules brought. */
  readonly faults: readonly DeliveryFault['kind'][]
}

/** What becomes of an attempt, by the disorder switch and by the rules that strike it. */
export function fateOf(disorder: Disorder, faults: readonly DeliveryFault[], random: SeededRandom): AttemptFate {
  const kinds = faults.map(({ kind }) => kind)
  const untouched = { skewMs: 0, signedByOldSecret: false, corrupted: undefined, faults: kinds }
  const fate: AttemptFate = { ...disorderOf(disorder, random), ...untouched }
  return faults.reduce((struck, fault) => strike(struck, fault, random), fate)
}

/** By how long rules let an attempt leave later, in milliseconds. */
export function delayOf(faults: readonly DeliveryFault[]): number {
  return faults.reduce((sum, fault) => sum + (fault.kind === 'delayed' ? durationMs(fault.by) : 0), 0)
}

function strike(fate: AttemptFate, fault: DeliveryFault, random: SeededRandom): AttemptFate {
  switch (fault.kind) {
    case 'duplicated':
      return { ...fate, duplicated: true }
    case 'lost':
      return { ...fate, lost: fault.lost ?? 'request' }
    case 'corrupted':
      return { ...fate, corrupted: random.fraction() }
    case 'old_secret':
      return { ...fate, signedByOldSecret: true }
    case 'skewed':
      return { ...fate, skewMs: fault.seconds * 1000 }
    // These two decide when it leaves.
    case 'reordered':
    case 'delayed':
      return fate
  }
}
