import { durationMs } from '../clock/duration.ts'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Disorder } from './disorder.ts'

export interface AttemptFaults {
  readonly duplicated: boolean
  readonly lost: 'request' | 'answer' | 'nothing'
  /** The offset of its timestamp, in milliseconds. */
  readonly skewMs: number
  readonly signedByOldSecret: boolean
  /** The position of the changed character in its body, from 0 to 1. */
  readonly corrupted: number | undefined
  /** The faults that come from rules. */
  readonly ofRules: readonly DeliveryFault['kind'][]
}

/** The faults of an attempt, from the disorder and from the rules that affect it. */
export function faultsOf(
  { duplicated = 0, failing = 0 }: Disorder,
  rules: readonly DeliveryFault[],
  random: SeededRandom,
): AttemptFaults {
  // Each is drawn in any case, so that one rate does not change the draws of another.
  const [arrivesTwice, fails, before] = [random.chance(duplicated), random.chance(failing), random.chance(0.5)]
  const fault = <Kind extends DeliveryFault['kind']>(kind: Kind) =>
    rules.findLast((rule): rule is Extract<DeliveryFault, { kind: Kind }> => rule.kind === kind)
  const rule = fault('lost')
  const lostIfFailing = before ? 'request' : 'answer'
  const lostByDisorder = fails ? lostIfFailing : 'nothing'
  return {
    duplicated: arrivesTwice || fault('duplicated') !== undefined,
    lost: rule === undefined ? lostByDisorder : (rule.lost ?? 'request'),
    skewMs: (fault('skewed')?.seconds ?? 0) * 1000,
    signedByOldSecret: fault('old_secret') !== undefined,
    corrupted: fault('corrupted') === undefined ? undefined : random.fraction(),
    ofRules: rules.map(({ kind }) => kind),
  }
}

/** How much later the rules let an attempt leave, in milliseconds. */
export function delayOf(rules: readonly DeliveryFault[]): number {
  return rules.reduce((sum, fault) => sum + (fault.kind === 'delayed' ? durationMs(fault.by) : 0), 0)
}
