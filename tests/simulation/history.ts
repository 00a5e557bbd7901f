import type { Tally } from './chronicle.ts'

export type StoreName = 'memory' | 'sqlite'

/** Which history it is, and where it happens: it happens the same way every time. */
export interface HistoryName {
  readonly seed: number
  readonly history: number
  readonly store: StoreName
}

/** How a history went. */
export interface HistoryEnd {
  /** What was promised and not kept. */
  readonly violation: string | undefined
  readonly steps: number
  /** What happened, in words, where that was asked for. */
  readonly lines: readonly string[]
}

/** Plays one history to its end, or to the first promise that is not kept. */
export type PlayHistory = (name: HistoryName, tally?: Tally, inWords?: boolean) => Promise<HistoryEnd>
