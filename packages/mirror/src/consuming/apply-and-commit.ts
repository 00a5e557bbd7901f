import { refuseResponse } from '@notewire/protocol'
import { MirrorError } from '../errors.ts'
import { type ConsumerLease, ConsumerLostError, makeDue } from './consumer-lease.ts'
import { changeOf, type Delivery } from './delivery.ts'
import type { Round } from './round.ts'
import { dueAgain, type RoundResult } from './round-rule.ts'

/** A late `commit` waits this long until its notes are due again. It may hold the only connection of the pool. In milliseconds. */
const LATE_WAIT_MS = 1_000

type RoundWithEnd<Transaction> = Round<Transaction> & {
  readonly lost: AbortSignal
  /** Resolves when the round writes nothing more. */
  readonly ended: Promise<void>
}

/**
 * Calls `apply`, and commits the result, unless `apply` has committed it in its own transaction.
 *
 * @returns the error of `apply`, if the changes were not applied
 */
export async function applyAndCommit<Transaction>(
  lease: ConsumerLease<Transaction>,
  deliveries: readonly Delivery[],
  result: RoundResult,
  round: RoundWithEnd<Transaction>,
): Promise<{ readonly thrown: unknown } | undefined> {
  const { apply, signal, lost } = round
  const changes = (await Promise.all(deliveries.map(changeOf))).filter((change) => change !== undefined)
  const commitId = crypto.randomUUID()
  let hasCalledCommit = false
  let hasReturned = false
  let unfinished = 0
  const commit = (transaction: Transaction) => {
    if (hasReturned && round.store.takesTransactions) return refuseLate(lease, transaction, deliveries, round)
    hasCalledCommit = true
    const committing = lease.commitIn(transaction, result, commitId)
    unfinished += 1
    const finish = () => {
      unfinished -= 1
    }
    // If it rejects and apply does not wait for it, the changes fail below, so that its error need not end the process.
    committing.then(finish, () => undefined)
    return committing
  }
  let failure: { readonly thrown: unknown } | undefined
  try {
    if (changes.length > 0) refuseResponse(await apply(changes, { commit, signal }))
  } catch (thrown) {
    failure = { thrown }
  }
  hasReturned = true
  if (hasCalledCommit) {
    const isFinished = unfinished === 0
    if (await lease.hasCommitted(commitId)) return undefined
    // The lease is still held, so that the version differed for another reason.
    if (failure?.thrown instanceof ConsumerLostError) failure = { thrown: transactionNotCommitted(RETRIED) }
    failure ??= { thrown: transactionNotCommitted(isFinished ? NOT_COMMITTED : NOT_AWAITED) }
  }
  lost.throwIfAborted()
  if (failure === undefined) await lease.commit(result)
  return failure
}

/**
 * Refuses a `commit` that comes after `apply` has returned. The consumer has then recorded the changes as applied, since `apply` need not call
 * `commit`, so this makes them due again.
 */
function refuseLate<Transaction>(
  lease: ConsumerLease<Transaction>,
  transaction: Transaction,
  deliveries: readonly Delivery[],
  round: RoundWithEnd<Transaction>,
): Promise<void> {
  const error = transactionNotCommitted(TOO_LATE)
  // The process may end when the error leaves the transaction, because no code waits for it.
  const again = round.ended
    .then(() => makeDue(round, ({ state }, now) => dueAgain(state, deliveries, lease.state.cursor, error, now)))
    .catch((failure: unknown) => round.onProblem({ error: failure }))
  round.onProblem({ error })
  return lease.refuseIn(transaction, error, Promise.race([again, round.clock.sleep(LATE_WAIT_MS)]))
}

/** The error if `apply` called `commit`, and its transaction was not committed. */
function transactionNotCommitted(why: string): MirrorError {
  return new MirrorError('transaction_not_committed', `${why} The changes are sent again.`)
}

const NOT_COMMITTED =
  'apply returned after commit, but its transaction was rolled back or is still open. Commit the transaction before apply returns, and do not catch its errors in apply.'

const RETRIED =
  'retryParked wrote the state of the consumer after these changes had been read, so that the store rejected commit.'

const NOT_AWAITED =
  'apply returned although commit had not resolved: an await is missing before commit or before the transaction that calls it, or apply has caught its error. Rows that the transaction has committed without it are not recorded as applied.'

const TOO_LATE =
  'commit was called after apply had returned: an await is missing before the transaction that calls it. Nothing was recorded in the transaction: let this error roll it back.'
