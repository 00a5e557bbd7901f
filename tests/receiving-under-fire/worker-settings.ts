import type { Integration } from './integrations.ts'
import type { Ordeal } from './ordeals.ts'

export type Engine = 'sqlite' | 'postgres' | 'redis'

/** What a worker is told when it starts. */
export interface WorkerSettings {
  readonly engine: Engine
  /** The path, URL or port of the database. */
  readonly place: string
  /** The path of the chronicle. */
  readonly chronicle: string
  readonly number: number
  /** How far the clock of its machine is off. */
  readonly skewMs: number
  readonly seed: number
}

/** What a worker tells whoever started it. */
export type WorkerReport =
  | { readonly what: 'listens'; readonly port: number }
  /** The handler has been called for an ordeal. */
  | { readonly what: 'begins'; readonly ordeal: Ordeal; readonly integration: Integration }
