import type { MirrorStore } from '@notewire/mirror'
import type { Chronicle } from '../simulation/chronicle.ts'
import type { Random } from '../simulation/random.ts'
import type { Schedule } from '../simulation/schedule.ts'
import type { InvariantChecker } from './invariant-checker.ts'
import type { LogicalClock } from './logical-clock.ts'
import type { FaultRates, Scenario } from './scenario.ts'
import type { World } from './world.ts'

/** The objects that all parts of a history share. */
export interface HistoryParts {
  readonly random: Random
  readonly schedule: Schedule
  readonly logicalClock: LogicalClock
  readonly scenario: Scenario
  readonly chronicle: Chronicle
  readonly world: World
  readonly store: MirrorStore
  readonly integration: string
  readonly checker: InvariantChecker
  /** Whether the history is logged in words. */
  readonly inWords: boolean
}

export interface HistoryContext extends HistoryParts {
  /** Whether faults have ended, for the rest of the history. */
  faultsAreOver: boolean
  /** Whether a listing of all notes contained a note without an identifier. If it was the backfill, only a full listing finds the changes of that note. */
  hasUnidentifiedNote: boolean
  /** Draws whether a fault occurs now. */
  occurs(fault: keyof FaultRates): boolean
}

export function createContext(parts: HistoryParts): HistoryContext {
  const { random, scenario, chronicle } = parts
  return {
    ...parts,
    faultsAreOver: false,
    hasUnidentifiedNote: false,
    occurs(fault) {
      const rate = scenario.rates[fault]
      if (rate === 0 || this.faultsAreOver || !random.chance(rate)) return false
      chronicle.count(`fault: ${fault}`)
      return true
    },
  }
}
