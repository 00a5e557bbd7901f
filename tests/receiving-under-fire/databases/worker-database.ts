import type { ReceiverStore, TransactionStore } from '@notewire/webhooks/store'
import type { Integration } from '../integrations.ts'

/** The effect of a handler for an event. */
export interface Effect {
  readonly integration: Integration
  readonly eventId: string
  /** The run of the handler, which begins with the name of its worker. */
  readonly run: string
}

/** The connection of a worker to the database that all workers share. */
export interface WorkerDatabase<Transaction> {
  readonly store: ReceiverStore
  /** Transactions that the receiver opens. */
  readonly transactions?: DatabaseTransactions<Transaction> | undefined
  close(): Promise<void>
}

/** The store of receivers that open the transactions, and what their handlers write. */
interface DatabaseTransactions<Transaction> {
  readonly store: TransactionStore<Transaction>
  readonly write: (transaction: Transaction, effect: Effect) => Promise<unknown> | undefined
}
