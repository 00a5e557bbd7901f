import { durationMs } from '../clock/duration.ts'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { type Disorder, disorderOf } from './disorder.ts'

/** The faults of one attempt. */
export interface AttemptFate {
  readonly duplicated: boolean
  readonly lost: 'request' | 'answer' | 'nothing'
  /** The offset of its timestamp, in milliseconds. */
  readonly skewMs: number
  readonly signedByOldSecret: boolean
  /** The position of the changed character in its body, from 0 to 1. */
  readonly corrupted: number | undefined
  /** The faults that come from rules. */
  readonly faults: readonly DeliveryFault['kind'][]
}

/** The faults of an attempt, from the disorder and from the rules that affect it. */
export function fateOf(disorder: Disorder, faults: readonly DeliveryFault[], random: SeededRandom): AttemptFate {
  const kinds = faults.map(({ kind }) => kind)
  const untouched = { skewMs: 0, signedByOldSecret: false, corrupted: undefined, faults: kinds }
  const fate: AttemptFate = { ...disorderOf(disorder, random), ...untouched }
  return faults.reduce((struck, fault) => strike(struck, fault, random), fate)
}

/** How much later the rules let an attempt leave, in milliseconds. */
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
    // These two determine when the attempt leaves.
    case 'reordered':
    case 'delayed':
      return fate
  }
}
