import * as z from 'zod/mini'
import { durationMs } from '../clock/duration.ts'
import { checked, fields } from '../errors/checked.ts'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'

export interface AttemptFaults {
  readonly duplicated: boolean
  readonly lost: 'request' | 'answer' | 'nothing'
  /** The offset of the timestamp, in milliseconds. */
  readonly skewMs: number
  readonly signedByOldSecret: boolean
  /** The position of the changed character in the body, from 0 to 1. */
  readonly corrupted: number | undefined
  /** The faults that come from rules. */
  readonly fromRules: readonly DeliveryFault['kind'][]
}

/** The faults of an attempt, from the disorder and from the rules that affect it. */
export function faultsOf(
  { duplicated = 0, failing = 0 }: Disorder,
  rules: readonly DeliveryFault[],
  random: SeededRandom,
): AttemptFaults {
  // All three are always drawn, so that one rate does not change the draws of another.
  const [isDuplicated, isLost, isRequestLost] = [random.chance(duplicated), random.chance(failing), random.chance(0.5)]
  const fault = <Kind extends DeliveryFault['kind']>(kind: Kind) =>
    rules.findLast((rule): rule is Extract<DeliveryFault, { kind: Kind }> => rule.kind === kind)
  const rule = fault('lost')
  const lostPart = isRequestLost ? 'request' : 'answer'
  const lostByDisorder = isLost ? lostPart : 'nothing'
  return {
    duplicated: isDuplicated || fault('duplicated') !== undefined,
    lost: rule === undefined ? lostByDisorder : (rule.lost ?? 'request'),
    skewMs: (fault('skewed')?.seconds ?? 0) * 1000,
    signedByOldSecret: fault('old_secret') !== undefined,
    corrupted: fault('corrupted') === undefined ? undefined : random.fraction(),
    fromRules: rules.map(({ kind }) => kind),
  }
}

/** How long the rules delay an attempt, in milliseconds. */
export function delayOf(rules: readonly DeliveryFault[]): number {
  return rules.reduce((sum, fault) => sum + (fault.kind === 'delayed' ? durationMs(fault.by) : 0), 0)
}

/**
 * Random delivery faults. Each value is the affected share of the deliveries or attempts, from 0 to 1; the seed selects them.
 * Disorder does not affect `endpoint.verification`.
 */
export interface Disorder {
  /** Attempts that are sent twice. @default 0 */
  readonly duplicated?: number | undefined
  /** Deliveries that are sent 1 to 20 seconds late, so that later events overtake them. @default 0 */
  readonly reordered?: number | undefined
  /** Attempts that fail. Half of them do not reach the receiver; the other half reach it, and their answer is lost. @default 0 */
  readonly failing?: number | undefined
}

const REORDER_DELAY_MS = { least: 1000, most: 20_000 }

const share = z._default(z.number().check(z.minimum(0), z.maximum(1)), 0)

export const disorderSchema = fields({
  duplicated: share.check(z.describe('The share of attempts that are sent twice, from 0 to 1.')),
  reordered: share.check(z.describe('The share of deliveries that are sent 1 to 20 seconds late, from 0 to 1.')),
  failing: share.check(z.describe('The share of attempts that fail, from 0 to 1.')),
})

/** Checks a disorder. @throws `MockServerError` `option_invalid` for an unknown property, or a share outside 0 to 1 */
export function checkDisorder(disorder: Disorder): Required<Disorder> {
  return Object.freeze(checked('disorder', disorderSchema, disorder))
}

/** How long the disorder delays a delivery, in milliseconds. */
export function reorderDelayOf(disorder: Disorder, random: SeededRandom): number {
  const { reordered = 0 } = disorder
  return random.chance(reordered) ? random.integer(REORDER_DELAY_MS.least, REORDER_DELAY_MS.most) : 0
}
