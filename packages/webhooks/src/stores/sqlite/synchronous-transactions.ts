import { OptionError } from '@notewire/protocol'
import type { ClaimRequest } from '../../interfaces/store.ts'
import {
  type LookResult,
  type Seen,
  TransactionEndedError,
  type TransactionResult,
  type TransactionStore,
  type TransactionWork,
} from '../../interfaces/transaction-store.ts'
import type { SqliteRow, SqliteStatement } from '../../storage/sqlite-driver.ts'
import { whenFree } from '../../storage/when-free.ts'
import { lookResult } from '../look-result.ts'
import { holdStatements, knownEvent, lookStatement } from './holding.ts'
import { type SqliteStore, sqliteStore } from './sqlite-store.ts'

/** A database whose transactions are synchronous functions. */
export interface SynchronousDatabase<Transaction> {
  /** What handlers get. */
  readonly transaction: Transaction
  /** Runs statements, in the open transaction if there is one. */
  run(statements: readonly SqliteStatement[]): readonly SqliteRow[][]
  /** Commits when `work` returns, and rolls back if it throws. */
  inTransaction<Result>(work: () => Result): Result
  /** Whether a transaction is open. */
  isOpen(): boolean
}

/** The store over such a database. */
export function transactionsOf<Transaction>(
  database: SynchronousDatabase<Transaction>,
): TransactionStore<Transaction> & Pick<SqliteStore, 'migrate'> {
  const { forget, migrate, prune } = sqliteStore({
    batch: (statements) => database.inTransaction(() => database.run(statements)),
  })
  return {
    look: (request) => whenFree(() => lookNow(database, request)),
    transact: async (request, seen, work) => {
      const attempt = await whenFree(() => attemptNow(database, request, seen, work))
      if ('error' in attempt) throw attempt.error
      return attempt
    },
    forget,
    migrate,
    prune,
  }
}

function lookNow<Transaction>(database: SynchronousDatabase<Transaction>, request: ClaimRequest): LookResult {
  return lookResult(request, knownEvent(database.run([lookStatement(request)])[0]?.[0]))
}

/** Throws only if the transaction could not begin: then another connection may be writing. */
function attemptNow<Transaction>(
  database: SynchronousDatabase<Transaction>,
  request: ClaimRequest,
  seen: Seen,
  work: TransactionWork<Transaction>,
): TransactionResult | { readonly error: unknown } {
  let hasBegun = false
  try {
    return database.inTransaction(() => {
      hasBegun = true
      return transactNow(database, request, seen, work)
    })
  } catch (error) {
    if (!hasBegun) throw error
    return { error }
  }
}

function transactNow<Transaction>(
  database: SynchronousDatabase<Transaction>,
  request: ClaimRequest,
  seen: Seen,
  work: TransactionWork<Transaction>,
): TransactionResult {
  const look = lookNow(database, request)
  if (look.status !== 'new' || !isSame(look.seen, seen)) return { status: 'changed' }
  const change = work.change()
  database.run(holdStatements(request, seen, change))
  refusePromise(work.call(database.transaction))
  if (!database.isOpen()) throw new TransactionEndedError()
  const changeAfter = work.change()
  if (changeAfter?.revision !== change?.revision) database.run(holdStatements(request, seen, changeAfter))
  return { status: 'committed' }
}

function isSame(one: Seen, other: Seen): boolean {
  return one.eventVersion === other.eventVersion && one.noteVersion === other.noteVersion
}

function refusePromise(returned: unknown): void {
  if (typeof (returned as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function') return
  // It may reject later.
  Promise.resolve(returned).catch(() => undefined)
  throw new OptionError(
    'on',
    'a handler returned a promise, but a transaction of SQLite is synchronous: what the handler writes later would not be part of it. ' +
      'Do what is asynchronous in the option prepare, and write without await. The event was rolled back and will be retried.',
  )
}
