import { systemClock } from '@notewire/protocol'
import type { PostgresConnection } from '../../storage/postgres-connection.ts'
import { GivenUpError, Slots, type TransactionOpener } from './transaction-opener.ts'

/** Runs work in a transaction of a library: `(work) => database.transaction(work)`. It commits when the work resolves. */
export type OpenTransaction<Transaction> = (work: (transaction: Transaction) => Promise<void>) => PromiseLike<unknown>

/** One fewer than the connections of a pool of `pg`, which most libraries use. */
const MAX_TRANSACTIONS = 9

/** PostgreSQL has ended a transaction that waits this long for its next statement. */
const ENDED_AFTER_MS = 12_000

/** Opens transactions with a query builder or an object-relational mapper. */
export function libraryTransactions<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
): TransactionOpener<Transaction> {
  return {
    connection: { query: (text, values) => queryAlone(open, connectionOf, text, values) },
    slots: new Slots(MAX_TRANSACTIONS),
    isChecked: false,
    run: async (work, givenUp) => {
      await open((transaction) => {
        const connection = connectionOf(transaction)
        return untilGivenUp(work(transaction, connection), givenUp, connection)
      })
    },
  }
}

async function queryAlone<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
  text: string,
  values: unknown[],
): Promise<{ readonly rows: readonly unknown[] }> {
  let result: { readonly rows: readonly unknown[] } = { rows: [] }
  await open(async (transaction) => {
    result = await connectionOf(transaction).query(text, values)
  })
  return result
}

/**
 * The library gives its connection to other transactions when it rolls back. A handler that still runs could write in one of them, so this
 * aborts the transaction, which frees its locks, and then waits for the handler until PostgreSQL has ended the connection.
 */
async function untilGivenUp(
  work: Promise<void>,
  givenUp: Promise<unknown>,
  connection: PostgresConnection,
): Promise<void> {
  const aborted = givenUp.then(async () => {
    connection.query(ABORT, []).catch(() => undefined)
    await Promise.race([work.catch(() => undefined), systemClock.sleep(ENDED_AFTER_MS)])
    throw new GivenUpError()
  })
  await Promise.race([work, aborted])
}

const ABORT = "DO $$ BEGIN RAISE EXCEPTION 'the receiver no longer waits for this handler'; END $$"
