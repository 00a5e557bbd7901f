import { Random } from '../simulation/random.ts'
import { CUSTOMERS, type Customer } from './customers.ts'

export const DAYS = 30

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** What the owner of some notes does. */
export interface Act {
  /** In milliseconds from the beginning of the month, as all times of a plan. */
  readonly at: number
  readonly customer: Customer
  readonly kind: 'record' | 'edit' | 'record again' | 'delete' | 'move'
  /** Decides which note, and what becomes of it. */
  readonly draw: number
  /** Whether the application works on the integration while the events arrive, as a job after a webhook does. */
  readonly isWorkedOn: boolean
}

/** What goes wrong or is changed, to one customer or to all, from one time to another. */
export interface Disaster {
  readonly at: number
  readonly until: number
  readonly kind: DisasterKind
  readonly customer: Customer
  readonly draw: number
}

export type DisasterKind = keyof typeof LIKELIHOODS

/** All that happens in a month. The same seed gives the same plan. */
export interface Plan {
  readonly acts: readonly Act[]
  readonly disasters: readonly Disaster[]
}

export function drawPlan(seed: number): Plan {
  return { acts: drawActs(new Random(seed, 0)), disasters: drawDisasters(new Random(seed, 1)) }
}

/** How often each happens in a month, at least and at most, and for how many hours. */
const LIKELIHOODS = {
  'the service responds with 503': { times: [1, 2], hours: [1, 12] },
  'the service fails sometimes': { times: [1, 2], hours: [2, 30] },
  'the service limits the rate': { times: [1, 2], hours: [1, 6] },
  'the service hangs': { times: [1, 1], hours: [1, 3] },
  'responses break': { times: [1, 2], hours: [2, 30] },
  'the application is unreachable': { times: [1, 2], hours: [1, 30] },
  'events are late': { times: [1, 2], hours: [6, 24] },
  'events of one kind never arrive': { times: [2, 3], hours: [30, 60] },
  'events arrive twice, in any order': { times: [2, 4], hours: [12, 72] },
  'events are damaged': { times: [1, 2], hours: [6, 24] },
  'events are replayed': { times: [4, 8], hours: [0, 0] },
  'a process is killed': { times: [4, 8], hours: [0, 3] },
  'a secret is rotated': { times: [2, 4], hours: [20, 23] },
  'a key is replaced': { times: [1, 2], hours: [0, 3] },
  'a key is revoked': { times: [1, 2], hours: [1, 40] },
  'a customer leaves': { times: [1, 2], hours: [2, 140] },
  'the database of the mirror is restored': { times: [1, 2], hours: [4, 80] },
} as const

/** The notes that each customer has before the first listing. */
const FIRST_NOTES = 10
const ACTS_OF_A_DAY = [3, 8] as const

const KINDS = [
  'record',
  'record',
  'record',
  'edit',
  'edit',
  'edit',
  'record again',
  'delete',
  'delete',
  'move',
] as const

function drawActs(random: Random): readonly Act[] {
  return CUSTOMERS.flatMap((customer) => {
    const rest = () => ({ customer, draw: random.integer(0, 2 ** 30), isWorkedOn: random.chance(0.4) })
    const first = Array.from({ length: FIRST_NOTES }, () => ({ at: 0, kind: 'record' as const, ...rest() }))
    const later = Array.from({ length: DAYS }, (_, day) =>
      Array.from({ length: random.integer(...ACTS_OF_A_DAY) }, () => ({
        at: day * DAY_MS + random.integer(1, DAY_MS - 1),
        kind: random.pick(KINDS),
        ...rest(),
      })),
    )
    return [...first, ...later.flat()]
  })
}

function drawDisasters(random: Random): readonly Disaster[] {
  const drawn = Object.entries(LIKELIHOODS).flatMap(([kind, { times, hours }]) =>
    Array.from({ length: random.integer(times[0], times[1]) }, () => {
      const at = random.integer(HOUR_MS, (DAYS - 2) * DAY_MS)
      const until = Math.min(at + random.integer(hours[0] * HOUR_MS, hours[1] * HOUR_MS), DAYS * DAY_MS)
      const customer = random.pick(CUSTOMERS)
      return { at, until, kind: kind as DisasterKind, customer, draw: random.integer(0, 2 ** 30) }
    }),
  )
  // One customer in two months leaves for good.
  if (random.chance(0.5)) {
    const at = random.integer(15 * DAY_MS, (DAYS - 2) * DAY_MS)
    const until = Number.POSITIVE_INFINITY
    drawn.push({ at, until, kind: 'a customer leaves', customer: random.pick(CUSTOMERS), draw: 0 })
  }
  return drawn
}
