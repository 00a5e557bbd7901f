import type { Claim, CommitResult, ReceiverStore } from '@notewire/webhooks'
import type { HandlerCall } from './handler-call.ts'

/** The database that all instances share: the store and the rows that handlers write. */
export interface Database {
  readonly store: Pick<ReceiverStore, 'claim' | 'renew' | 'commit' | 'release' | 'forget' | 'prune'>
  /** Writes the effect of a handler call immediately, without a transaction. */
  write(call: HandlerCall): void
  /**
   * Writes the effect of a handler call and commits the event in one transaction. Synchronous if the driver is.
   *
   * @param commit  the handler's `context.commit`
   */
  writeInTransaction(
    call: HandlerCall,
    process: CallingProcess,
    commit: (transaction: Transaction) => Promise<void>,
  ): undefined | Promise<void>
  /** All committed rows, in the order of their commits. */
  rows(): readonly string[]
}

/** The transaction of a handler, which it passes to `context.commit`. */
export interface Transaction {
  /** Commits the event of the claim in the transaction. */
  commitClaim(claim: Claim): CommitResult | Promise<CommitResult>
}

/** The part of a simulated process that the database needs. */
export interface CallingProcess {
  readonly dead: boolean
  tell(what: string): void
  maybeCrash(where: string): boolean
  callDatabase<Result>(operation: string, effect: () => Promise<Result>, onFailure?: () => void): Promise<Result>
}

/** The database refuses to commit a transaction because its claim was lost. */
export class TransactionLostError extends Error {
  constructor() {
    super('the claim was lost before the transaction committed')
  }
}
