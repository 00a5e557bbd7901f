import type { MirrorStore } from '@notewire/mirror'
import type { Chronicle } from '../simulation/chronicle.ts'
import type { Random } from '../simulation/random.ts'
import type { Schedule } from '../simulation/schedule.ts'
import type { Circumstances, FaultRates } from './circumstances.ts'
import type { Judge } from './judge.ts'
import type { Moments } from './moments.ts'
import type { World } from './world.ts'

/** What everybody in a history shares. */
export class Stage {
  readonly random: Random
  readonly schedule: Schedule
  readonly moments: Moments
  readonly circumstances: Circumstances
  readonly chronicle: Chronicle
  readonly world: World
  readonly store: MirrorStore
  readonly integration: string
  readonly judge: Judge
  /** Whether somebody reads the chronicle. */
  readonly inWords: boolean
  /** From now on nothing goes wrong any more. */
  faultsAreOver = false

  constructor(
    parts: Pick<
      Stage,
      | 'random'
      | 'schedule'
      | 'moments'
      | 'circumstances'
      | 'chronicle'
      | 'world'
      | 'store'
      | 'integration'
      | 'judge'
      | 'inWords'
    >,
  ) {
    this.random = parts.random
    this.schedule = parts.schedule
    this.moments = parts.moments
    this.circumstances = parts.circumstances
    this.chronicle = parts.chronicle
    this.world = parts.world
    this.store = parts.store
    this.integration = parts.integration
    this.judge = parts.judge
    this.inWords = parts.inWords
  }

  /** Whether this goes wrong now. */
  strikes(fault: keyof FaultRates): boolean {
    const rate = this.circumstances.rates[fault]
    if (rate === 0 || this.faultsAreOver || !this.random.chance(rate)) return false
    this.chronicle.count(`fault: ${fault}`)
    return true
  }
}
