import type { Chronicle } from '../simulation/chronicle.ts'
import type { Random } from '../simulation/random.ts'
import type { Schedule } from '../simulation/schedule.ts'
import type { Database } from './database.ts'
import type { InvariantChecker } from './invariant-checker.ts'
import type { FaultRates, Scenario } from './scenario.ts'

/** What all parts of one history share. */
export class HistoryContext {
  readonly random: Random
  readonly schedule: Schedule
  readonly scenario: Scenario
  readonly checker: InvariantChecker
  readonly chronicle: Chronicle
  readonly database: Database
  readonly #faultsEndAt: number

  constructor(
    parts: Pick<HistoryContext, 'random' | 'schedule' | 'scenario' | 'checker' | 'chronicle'>,
    openDatabase: (context: HistoryContext) => Database,
  ) {
    this.random = parts.random
    this.schedule = parts.schedule
    this.scenario = parts.scenario
    this.checker = parts.checker
    this.chronicle = parts.chronicle
    this.#faultsEndAt = parts.schedule.now + parts.scenario.faultsLastMs
    this.database = openDatabase(this)
  }

  get faultsAreOver(): boolean {
    return this.schedule.now >= this.#faultsEndAt
  }

  /** Draws whether a fault happens now. */
  occurs(fault: keyof FaultRates): boolean {
    const happens = this.random.chance(this.scenario.rates[fault]) && !this.faultsAreOver
    if (happens) this.chronicle.count(`fault: ${fault}`)
    return happens
  }
}
