import { NotewireError } from '@notewire/protocol'

/**
 * The handler no longer holds its claim: another worker has taken the event over, or the receiver gave the claim up because
 * of `handlerTimeoutMs` or while it closed. What this handler did must not count: roll its transaction back.
 */
export class ClaimLostError extends NotewireError<'claim_lost'> {
  constructor() {
    super(
      'claim_lost',
      'this handler no longer holds its claim: its lease expired and another worker claimed the event, or the ' +
        'receiver released the claim after handlerTimeoutMs or while closing. Let this error roll back the transaction; ' +
        'another attempt will process the event.',
    )
  }
}

/** The handler called `context.commit` in a transaction that did not commit. */
export class TransactionNotCommittedError extends NotewireError<'transaction_not_committed'> {
  constructor() {
    super(
      'transaction_not_committed',
      'the handler returned after context.commit, but its transaction was rolled back or is still open. Commit the ' +
        'transaction before the handler returns, and do not catch its errors in the handler. The event will be retried.',
    )
  }
}
