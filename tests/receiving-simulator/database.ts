import type { Claim, CommitResult, ReceiverStore } from '@notewire/webhooks'
import type { HandlerCall } from './handler-call.ts'

/** The database that all instances share: the store, and the rows that handlers write. */
export interface Database {
  readonly store: Pick<ReceiverStore, 'claim' | 'renew' | 'commit' | 'release' | 'forget' | 'prune'>
  /** Writes the effect of a call, at once and outside any transaction. */
  write(call: HandlerCall): void
  /**
   * Writes the effect of a call and the event's mark in one transaction: at once where the driver is synchronous.
   *
   * @param commit  the handler's `context.commit`
   */
  writeInTransaction(
    call: HandlerCall,
    process: AskingProcess,
    commit: (transaction: Transaction) => Promise<void>,
  ): undefined | Promise<void>
  /** The rows that outlived everything, in their order. */
  rows(): readonly string[]
}

/** A transaction of a handler's, as the store's `commitIn` takes it. */
export interface Transaction {
  /** Marks the event of the claim in it. */
  mark(claim: Claim): CommitResult | Promise<CommitResult>
}

/** A process, as the database knows it. */
export interface AskingProcess {
  readonly dead: boolean
  tell(what: string): void
  mayCrash(where: string): boolean
  ask<Answer>(question: string, effect: () => Promise<Answer>, onFailure?: () => void): Promise<Answer>
}

/** The database refuses a transaction whose claim was lost before it committed. */
export class TransactionLostError extends Error {
  constructor() {
    super('the claim was lost before the transaction committed')
  }
}
