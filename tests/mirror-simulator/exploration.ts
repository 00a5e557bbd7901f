import type { Tally } from '../receiving-simulator/chronicle.ts'
import type { HistoryName, StoreName } from './history-name.ts'

/** Which histories one thread plays. */
export interface Exploration {
  readonly store: StoreName
  readonly seed: number
  /** The number of the first. @default 0 */
  readonly from?: number | undefined
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
export function replayCommand({ seed, history, store }: HistoryName, bug?: string): string {
  return `npm run simulate:mirror -- --seed ${seed} --history ${history} --store ${store}${bug === undefined ? '' : ` --bug '${bug}'`}`
}
