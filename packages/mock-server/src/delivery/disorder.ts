import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { SeededRandom } from '../seed/seeded-random.ts'

/**
 * What goes wrong on the way, each as a share from 0 to 1 of the deliveries or attempts, chosen by the seed. The events that
 * verify an endpoint are spared.
 */
export interface Disorder {
  /** Attempts that arrive twice. @default 0 */
  readonly duplicated?: number | undefined
  /** Deliveries that leave 1 to 20 seconds late, so that later events overtake them. @default 0 */
  readonly reordered?: number | undefined
  /** Attempts that fail: half of them before they reach the receiver, half after it has handled them. @default 0 */
  readonly failing?: number | undefined
}

const LATENESS_MS = { least: 1000, most: 20_000 }

/**
 * Refuses a disorder that cannot be.
 *
 * @throws {@link OptionError} for an unknown kind, or a share outside 0 to 1
 */
export function checkDisorder(disorder: Disorder): Required<Disorder> {
  refuseUnknownOptions('disorder', disorder, ['duplicated', 'reordered', 'failing'])
  return Object.freeze({
    duplicated: checkShare('duplicated', disorder.duplicated),
    reordered: checkShare('reordered', disorder.reordered),
    failing: checkShare('failing', disorder.failing),
  })
}

function checkShare(name: keyof Disorder, share = 0): number {
  if (typeof share === 'number' && share >= 0 && share <= 1) return share
  throw new OptionError(`disorder.${name}`, `disorder.${name} is a share from 0 (none) to 1 (all), not ${share}.`)
}

/** By how many milliseconds a delivery leaves late. */
export function latenessOf(disorder: Disorder, random: SeededRandom): number {
  const { reordered = 0 } = disorder
  return random.chance(reordered) ? random.integer(LATENESS_MS.least, LATENESS_MS.most) : 0
}

/** What disorder does to an attempt. */
export function disorderOf(
  disorder: Disorder,
  random: SeededRandom,
): { readonly duplicated: boolean; readonly lost: 'request' | 'answer' | 'nothing' } {
  const { duplicated = 0, failing = 0 } = disorder
  const [twice, fails, before] = [random.chance(duplicated), random.chance(failing), random.chance(0.5)]
  if (!fails) return { duplicated: twice, lost: 'nothing' }
  return { duplicated: twice, lost: before ? 'request' : 'answer' }
}
