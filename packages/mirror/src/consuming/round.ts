import type { NoResponse } from '@notewire/protocol'
import type { ConsumerChange } from '../consumers/consumer-change.ts'
import type { CopyHooks } from '../hooks.ts'
import type { ConsumerOccurrence } from '../reporting/logged-hooks.ts'
import type { ConsumerKey } from './consumer-lease.ts'

/** The second argument of `apply`. */
export interface ConsumerContext<Transaction = never> {
  /**
   * Records the changes as applied in your own transaction in the mirror's database. Call it before you commit the transaction: the changes are
   * then applied exactly once. In SQLite it is synchronous. If you do not call it, the consumer commits after `apply`: at least once.
   *
   * @throws MirrorError `consumer_lost` when another process has the lease: roll back
   * @throws MirrorError `transaction_not_committed` after `apply` has returned: an await is missing. Roll back: the changes are sent again
   * @throws OptionError if `transaction` has no open transaction, for example a pool: nothing is recorded
   */
  readonly commit: (transaction: Transaction) => Promise<void>
  /** Fires on shutdown, and when another process has the lease: then stop and reject. */
  readonly signal: AbortSignal
}

/**
 * Applies changes, all or none. If it throws or rejects, the changes are sent again. What it returns is ignored, except that it may not return
 * a `Response`: then the changes fail with the error `response_returned`.
 */
export type ApplyChanges<Transaction = never> = (
  changes: readonly ConsumerChange[],
  context: ConsumerContext<Transaction>,
) => NoResponse

/** What a consumer does in each round. */
export interface Round<Transaction> extends ConsumerKey<Transaction> {
  readonly batchSize: number
  readonly apply: ApplyChanges<Transaction>
  readonly signal: AbortSignal
  readonly onProblem: CopyHooks['onProblem']
  /** Logs that the consumer failed, or that it works again. */
  readonly report: (occurrence: ConsumerOccurrence, error?: unknown, noteId?: string) => void
  /** Adds a listener that is called when this process has written changes, and returns a function that removes it. */
  readonly onChange?: ((listener: () => void) => () => void) | undefined
  /** The longest time between two checks of an idle consumer for changes of other processes, in milliseconds. By default, one second. */
  readonly longestIdleMs?: number | undefined
}
