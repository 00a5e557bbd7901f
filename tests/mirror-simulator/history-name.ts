export type StoreName = 'memory' | 'sqlite'

/** Which history it is, and where it happens: it happens the same way every time. */
export interface HistoryName {
  readonly seed: number
  readonly history: number
  readonly store: StoreName
}
