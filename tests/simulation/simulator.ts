import type { PlayHistory, StoreName } from './history.ts'
import type { Patch } from './patch.ts'

/** What is one simulator's own. Everything else it shares with the others. */
export interface Simulator {
  /** The script of the workspace that runs it: `npm run simulate`. */
  readonly script: string
  /** The URL of the module that exports it as `simulator`, which every thread imports anew. */
  readonly module: string
  /** Loads what plays histories, and with it the published code: not before a bug is planted. */
  readonly loadPlayer: () => Promise<PlayHistory>
  /** Every planted bug that it must find, in every store where it is looked for. */
  readonly plantedCases: readonly PlantedCase[]
  /** What plants a bug into the code that a store needs, where it can be. */
  readonly patchesOf: (bug: string, store: StoreName) => readonly Patch[] | undefined
}

/** A module that exports a simulator. */
export interface SimulatorModule {
  readonly simulator: Simulator
}

/** One planted bug in one store. */
export interface PlantedCase {
  readonly name: string
  /** What is wrong, for the page of the proof. */
  readonly mistake: string
  readonly store: StoreName
  /** A history of `SEED_OF_PROOF` that shows the bug, if few do. The proof plays it first. */
  readonly history?: number | undefined
}
