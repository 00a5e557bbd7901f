import type { Effect } from '../databases/worker-database.ts'
import type { Engine } from '../worker-settings.ts'

/** The database that all workers share, for the test. */
export interface StoreServer {
  readonly engine: Engine
  readonly location: string
  /** The effects whose transactions of the receiver have committed, in order. `undefined` if the store has none. */
  readonly readEffects?: () => Promise<readonly Effect[]>
  /** Kills the server with SIGKILL and starts it again on the same files. `undefined` if the store has no server. */
  readonly crashAndRestart?: () => Promise<void>
  /** Whether a paused process holds the only write lock. `undefined` if writers do not share one lock. */
  readonly isLocked?: () => Promise<boolean>
  stop(): Promise<void>
}
