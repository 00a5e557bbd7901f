import type { Chronicle } from '../simulation/chronicle.ts'
import type { Random } from '../simulation/random.ts'
import type { Schedule } from '../simulation/schedule.ts'
import type { Circumstances, FaultRates } from './circumstances.ts'
import type { Database } from './database.ts'
import type { Judge } from './judge.ts'

/** What everybody in a history shares. */
export class Stage {
  readonly random: Random
  readonly schedule: Schedule
  readonly circumstances: Circumstances
  readonly judge: Judge
  readonly chronicle: Chronicle
  readonly database: Database
  readonly #faultsEndAt: number

  constructor(
    parts: Pick<Stage, 'random' | 'schedule' | 'circumstances' | 'judge' | 'chronicle'>,
    openDatabase: (stage: Stage) => Database,
  ) {
    this.random = parts.random
    this.schedule = parts.schedule
    this.circumstances = parts.circumstances
    this.judge = parts.judge
    this.chronicle = parts.chronicle
    this.#faultsEndAt = parts.schedule.now + parts.circumstances.faultsLastMs
    this.database = openDatabase(this)
  }

  get faultsAreOver(): boolean {
    return this.schedule.now >= this.#faultsEndAt
  }

  /** Whether this goes wrong now. */
  strikes(fault: keyof FaultRates): boolean {
    const struck = this.random.chance(this.circumstances.rates[fault]) && !this.faultsAreOver
    if (struck) this.chronicle.count(`fault: ${fault}`)
    return struck
  }
}
