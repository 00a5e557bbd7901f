import * as z from 'zod/mini'
import { checked, fields } from '../errors/checked.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'

/**
 * Random delivery faults. Each value is the affected share of the deliveries or attempts, from 0 to 1; the seed selects them.
 * Disorder does not affect `endpoint.verification`.
 */
export interface Disorder {
  /** Attempts that arrive twice. @default 0 */
  readonly duplicated?: number | undefined
  /** Deliveries that leave 1 to 20 seconds late, so that later events overtake them. @default 0 */
  readonly reordered?: number | undefined
  /** Attempts that fail: half of them do not reach the receiver, and of the other half the answer is lost. @default 0 */
  readonly failing?: number | undefined
}

const LATENESS_MS = { least: 1000, most: 20_000 }

const share = z._default(z.number().check(z.minimum(0), z.maximum(1)), 0)

export const disorderSchema = fields({
  duplicated: share.check(z.describe('The share of attempts that arrive twice, from 0 to 1.')),
  reordered: share.check(z.describe('The share of deliveries that leave 1 to 20 seconds late, from 0 to 1.')),
  failing: share.check(z.describe('The share of attempts that fail, from 0 to 1.')),
})

/**
 * Checks a disorder.
 *
 * @throws `MockServerError` `option_invalid` for an unknown property, or a share outside 0 to 1
 */
export function checkDisorder(disorder: Disorder): Required<Disorder> {
  return Object.freeze(checked('disorder', disorderSchema, disorder))
}

/** How much later a delivery leaves, in milliseconds. */
export function latenessOf(disorder: Disorder, random: SeededRandom): number {
  const { reordered = 0 } = disorder
  return random.chance(reordered) ? random.integer(LATENESS_MS.least, LATENESS_MS.most) : 0
}
