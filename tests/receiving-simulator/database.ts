import type { SqliteConnection } from '@notewire/webhooks/sqlite'
import type { ReceiverStore, TransactionStore } from '@notewire/webhooks/store'
import type { HandlerCall } from './handler-call.ts'

/** The database that all instances share: the store and the rows that handlers write. */
export interface Database {
  readonly store: Pick<ReceiverStore, 'claim' | 'renew' | 'commit' | 'release' | 'forget' | 'prune'>
  /** Opens the transactions, in histories with transactions. */
  readonly transactions?: TransactionStore<SqliteConnection> | undefined
  /** Writes the effect of a handler call: immediately, or in the open transaction. */
  write(call: HandlerCall): void
  /** All committed rows, in the order of their commits. */
  rows(): readonly string[]
}

/** The transaction of the receiver, which a handler gets. */
export interface Transaction {
  write(call: HandlerCall): void
}
