import type { ReceiverStore } from '@notewire/webhooks'
import type { Effect } from '../effect.ts'

/** What a worker has of the database that all workers share. */
export interface WorkerDatabase<Transaction> {
  readonly store: ReceiverStore<Transaction>
  /**
   * Writes an effect and the event's mark in one transaction, or neither. Left out where there are no transactions.
   *
   * @param mark  marks the event within the transaction
   * @param leave  called right before the transaction commits
   */
  readonly writeWithMark?: (
    effect: Effect,
    mark: (transaction: Transaction) => Promise<void>,
    leave: () => void,
  ) => Promise<void> | undefined
  close(): Promise<void>
}
