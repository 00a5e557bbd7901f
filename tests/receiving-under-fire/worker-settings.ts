import type { Integration } from './integrations.ts'
import type { SlowNote } from './slow-notes.ts'

/** `…-transactions`: the receiver opens transactions, see `isInTransactions`. */
export type Engine = 'sqlite' | 'sqlite-transactions' | 'postgres' | 'postgres-transactions' | 'redis'

/** The settings of a worker, which it gets in an environment variable. */
export interface WorkerSettings {
  readonly engine: Engine
  /** The path, URL or port of the database. */
  readonly location: string
  /** The path of the chronicle. */
  readonly chronicle: string
  readonly number: number
  /** The clock skew of its machine. */
  readonly skewMs: number
  readonly seed: number
}

/** A message from a worker to the test. */
export type WorkerReport =
  | { readonly what: 'listens'; readonly port: number }
  /** The handler has been called for a slow note. */
  | { readonly what: 'begins'; readonly note: SlowNote; readonly integration: Integration }
