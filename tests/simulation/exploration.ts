import type { Tally } from './chronicle.ts'
import type { HistoryName, StoreName } from './history.ts'
import type { Simulator } from './simulator.ts'

/** Which histories one thread plays. */
export interface Exploration {
  readonly store: StoreName
  readonly seed: number
  /** The number of the first. Default: 0. */
  readonly first?: number | undefined
  /** How many. It ends at the first that does not keep a promise. */
  readonly histories: number
  /** The name of a planted bug. */
  readonly bug?: string | undefined
}

/** What came of them. */
export interface Findings {
  readonly played: number
  readonly tally: Tally
  readonly found?: { readonly history: number; readonly violation: string } | undefined
}

/** The command that plays one history again, and tells it in words. */
export function replayCommand({ script }: Simulator, { seed, history, store }: HistoryName, bug?: string): string {
  return `npm run ${script} -- --seed ${seed} --history ${history} --store ${store}${bug === undefined ? '' : ` --bug '${bug}'`}`
}
