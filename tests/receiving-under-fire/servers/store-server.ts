import type { Effect } from '../effect.ts'
import type { Engine } from '../worker-settings.ts'

/** The database that all workers share, as the test sees it. */
export interface StoreServer {
  readonly engine: Engine
  readonly place: string
  /** The effects that were committed with their marks, in their order. Left out where the store has no transactions. */
  readonly readEffects?: () => Promise<readonly Effect[]>
  /** Ends it by SIGKILL and starts it again on the same files. Left out where there is no server. */
  readonly crashAndRestart?: () => Promise<void>
  /** Whether nobody can write, because a process that stands still holds the one lock. Left out where there are many. */
  readonly isLocked?: () => Promise<boolean>
  stop(): Promise<void>
}
