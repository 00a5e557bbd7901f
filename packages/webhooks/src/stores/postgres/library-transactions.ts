import { systemClock } from '@notewire/protocol'
import type { PostgresConnection, PostgresStoreOptions } from '@notewire/storage'
import {
  type ClientOfPool,
  listenToClient,
  listenToClients,
  type PoolOfClients,
  postgresCodeOf,
  transactionNotOpen,
} from '@notewire/storage'
import { type EndableTransaction, endableTransaction } from './endable-transaction.ts'
import { type OpenTransaction, openWithinLimit } from './open-within-limit.ts'
import { slotsOf } from './pool-transactions.ts'
import {
  ENDED_AFTER_MS,
  explainEnd,
  GivenUpError,
  limited,
  nextTurn,
  releaseSavepoint,
  Slots,
  setSavepoint,
  type TransactionOpener,
  type WorkIn,
} from './transaction-opener.ts'

/** The options of `postgresTransactions` with a library. */
export interface LibraryTransactionOptions extends PostgresStoreOptions {
  /**
   * The pool of `pg` that the library uses. Pass it with Kysely, which does not listen to the errors of a connection: otherwise a connection
   * that breaks in a transaction ends the process.
   */
  readonly pool?: (PoolOfClients & { readonly options?: { readonly max?: number | undefined } }) | undefined
}

/** One fewer than the connections of a pool of `pg`, which most libraries use. */
const MAX_TRANSACTIONS = 9

/** Opens transactions with a query builder or an object-relational mapper. */
export function libraryTransactions<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
  pool: LibraryTransactionOptions['pool'],
): TransactionOpener<Transaction> {
  if (pool !== undefined) listenToClients(pool)
  return {
    connection: { query: (text, values) => queryAlone(open, connectionOf, text, values) },
    slots: pool === undefined ? new Slots(MAX_TRANSACTIONS) : slotsOf(pool),
    knowsCommit: false,
    run: async (work, givenUp) => {
      await openWithinLimit(open, (transaction) => {
        listenToClientOf(transaction)
        const connection = connectionOf(transaction)
        const endable = endableTransaction(transaction)
        const working = betweenSavepoints(work, endable, connection)
        return untilGivenUp(working, givenUp, connection).finally(() => {
          // A handler that was given up may never end.
          void endable.end()
        })
      })
    },
  }
}

/** Drizzle does not listen to the errors of a connection either, but its transaction has the client. */
function listenToClientOf(transaction: unknown): void {
  const { session } = (transaction ?? {}) as { readonly session?: { readonly client?: Partial<ClientOfPool> } | null }
  const client = session?.client
  if (typeof client?.on === 'function') listenToClient(client as ClientOfPool)
}

/** PostgreSQL refuses a savepoint outside of a transaction. */
async function betweenSavepoints<Transaction>(
  work: WorkIn<Transaction>,
  endable: EndableTransaction<Transaction>,
  connection: PostgresConnection,
): Promise<void> {
  await limited(connection.query(setSavepoint(), []), 'begin').catch(throwNotOpen)
  await work({
    connection,
    async handle(handler) {
      try {
        await handler(endable.transaction)
      } finally {
        await endable.end()
      }
      endable.requireComplete()
    },
  })
  await limited(connection.query(releaseSavepoint(), []), 'commit').catch(throwEnd)
  // A statement that ran when the handler returned has ended now. The function that has sent it may go on, and use the transaction again.
  await nextTurn()
  endable.requireComplete()
}

const NO_TRANSACTION = '25P01'

function throwNotOpen(error: unknown): never {
  throw postgresCodeOf(error) === NO_TRANSACTION ? transactionNotOpen() : error
}

function throwEnd(error: unknown): never {
  throw explainEnd(error)
}

async function queryAlone<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
  text: string,
  values: unknown[],
): Promise<{ readonly rows: readonly unknown[] }> {
  let result: { readonly rows: readonly unknown[] } = { rows: [] }
  await open(async (transaction) => {
    listenToClientOf(transaction)
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
