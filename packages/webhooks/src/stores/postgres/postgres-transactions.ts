import { OptionError } from '@notewire/protocol'
import {
  type PostgresConnection,
  type PostgresQueries,
  type PostgresStoreOptions,
  postgresCodeOf,
  refuseWrongPostgres,
} from '@notewire/storage'
import type { NoteChange } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import {
  type LookResult,
  type Seen,
  TransactionEndedError,
  type TransactionResult,
  type TransactionStore,
  type TransactionWork,
} from '../../interfaces/transaction-store.ts'
import { lookResult } from '../look-result.ts'
import { HOLD, type HoldRow, holdValues, REVISE, reviseValues } from './hold-function.ts'
import { type LibraryTransactionOptions, libraryTransactions } from './library-transactions.ts'
import { Looks } from './looks.ts'
import type { OpenTransaction } from './open-within-limit.ts'
import { type PostgresPool, type PostgresPoolClient, poolTransactions } from './pool-transactions.ts'
import { type PostgresStore, postgresStore } from './postgres-store.ts'
import { noRowIfChanged, receiverQueries } from './receiver-queries.ts'
import { explainEnd, isRefusal, limited, type Slots, type TransactionOpener } from './transaction-opener.ts'

/** A store of which the receiver processes each event in one transaction of PostgreSQL. */
export interface PostgresTransactions<Transaction>
  extends TransactionStore<Transaction>,
    Pick<PostgresStore, 'migrate'> {}

/**
 * Has the receiver process each event in one transaction of PostgreSQL 14 or newer: the processed record of the event, the revision of its
 * note and the rows of the handler are committed together, or not at all. Handlers get the open transaction as `context.transaction`:
 * everything of a client of `pg`, except that `release`, `connect`, `end`, a statement that would begin or end the transaction, and every
 * statement after the handler has ended fail with `TransactionEndedError`.
 *
 * The receiver opens the transaction and commits it. What takes long, such as a request, belongs into the option `prepare`, which runs
 * before the transaction. A transaction waits 2 s for a lock, and PostgreSQL ends it if it waits 10 s for its next statement. A deadlock
 * (`40P01`), a failed serialization (`40001`) and a lock timeout (`55P03`) are no failure of the handler: the event is tried again.
 *
 * It has the same tables as `postgresStore`, also for instances of the other kind at the same time. It works behind PgBouncer in
 * transaction mode. At most one transaction fewer is open than the pool has connections, also if several receivers use the pool. Call
 * `migrate` before the first delivery, and `prune` hourly.
 *
 * @param pool  your pool of `pg`
 * @throws OptionError if `pool` has no `connect`, or for an unknown or invalid option
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { postgresTransactions } from '@notewire/webhooks/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * pool.on('error', console.error)
 * const store = postgresTransactions(pool)
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: {
 *     'note.deleted': ({ data }, { transaction }) =>
 *       transaction.query('DELETE FROM copies WHERE note_id = $1', [data.note_id]),
 *   },
 * })
 * ```
 */
export function postgresTransactions<Client extends PostgresPoolClient>(
  pool: PostgresPool<Client>,
  options?: PostgresStoreOptions,
): PostgresTransactions<Client>
/**
 * The same with the transactions of a query builder or an object-relational mapper. At most nine are open at once, or one fewer than
 * the option `pool` has connections.
 *
 * @param open  runs work in a transaction, and commits when the work resolves: `(work) => database.transaction(work)`
 * @param connectionOf  runs a statement in a transaction of the library
 */
export function postgresTransactions<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
  options?: LibraryTransactionOptions,
): PostgresTransactions<Transaction>
export function postgresTransactions<Transaction>(
  poolOrOpen: PostgresPool<PostgresPoolClient> | OpenTransaction<Transaction>,
  optionsOrConnectionOf?: PostgresStoreOptions | ((transaction: Transaction) => PostgresConnection),
  libraryOptions: LibraryTransactionOptions = {},
): PostgresTransactions<PostgresPoolClient> | PostgresTransactions<Transaction> {
  if (typeof poolOrOpen === 'function') {
    if (typeof optionsOrConnectionOf !== 'function') {
      throw new OptionError(
        'connectionOf',
        'postgresTransactions needs a second function that runs a statement in a transaction of your library, such as ' +
          '(transaction) => ({ query: async (text, values) => ({ rows: await transaction.$queryRawUnsafe(text, ...values) }) }).',
      )
    }
    const { pool, ...options } = libraryOptions
    return storeWith(libraryTransactions(poolOrOpen, optionsOrConnectionOf, pool), options)
  }
  if (typeof poolOrOpen?.connect !== 'function') {
    throw new OptionError(
      'pool',
      'pool has no method "connect", so it cannot open a transaction. Pass a Pool of pg, or (work) => database.transaction(work) ' +
        'with a library; with a database over HTTP without transactions, use postgresStore.',
    )
  }
  return storeWith(poolTransactions(poolOrOpen), typeof optionsOrConnectionOf === 'object' ? optionsOrConnectionOf : {})
}

function storeWith<Transaction>(
  opener: TransactionOpener<Transaction>,
  options: PostgresStoreOptions,
): PostgresTransactions<Transaction> {
  refuseWrongPostgres('postgresTransactions', opener.connection, options)
  return new TransactionsInPostgres(opener, options)
}

/** The mark of an event that one transaction has made. The mark of another process has another token. */
const MARKED = 'integration = $1 AND event_id = $2 AND fencing_token = $3::bigint'

const TAKE_BACK = `UPDATE notewire_events SET forgotten = true WHERE ${MARKED}`

const LOOK_FOR_MARK = `SELECT true AS found FROM notewire_events WHERE ${MARKED}`

/** The SQLSTATEs of a deadlock, a failed serialization and a lock timeout. */
const CONFLICTS: readonly unknown[] = ['40P01', '40001', '55P03']

class TransactionsInPostgres<Transaction> implements PostgresTransactions<Transaction> {
  readonly #opener: TransactionOpener<Transaction>
  readonly #queries: PostgresQueries
  readonly #looks: Looks
  readonly #store: PostgresStore
  readonly #slots: Slots

  constructor(opener: TransactionOpener<Transaction>, options: PostgresStoreOptions) {
    this.#opener = opener
    this.#queries = receiverQueries(opener.connection, options)
    this.#looks = new Looks(this.#queries)
    this.#store = postgresStore(opener.connection, options)
    this.#slots = opener.slots
  }

  async look(request: ClaimRequest): Promise<LookResult> {
    return lookResult(request, await this.#looks.look(request))
  }

  async transact(request: ClaimRequest, seen: Seen, work: TransactionWork<Transaction>): Promise<TransactionResult> {
    if (!this.#slots.takeFree()) await limited(this.#slots.take(), 'begin', () => this.#slots.release())
    let hasChanged = false
    let isCommitting = false
    const before = work.change()
    let mark: string | undefined
    try {
      await this.#opener.run(async ({ connection, handle }) => {
        isCommitting = false
        const token = await this.#hold(connection, request, seen, before)
        if (token === null) {
          hasChanged = true
          throw new Error('the event or its note has changed since the look')
        }
        mark = token
        await handle((transaction) => work.call(transaction))
        const after = work.change()
        if (after?.revision !== before?.revision)
          await this.#revise(connection, reviseValues(request, token, seen.applied, after))
        isCommitting = true
      }, work.givenUp)
      await this.#requireMark(request, mark)
      return { status: 'committed' }
    } catch (error) {
      if (hasChanged) return { status: 'changed' }
      if (!mayHaveCommitted(isCommitting, error)) await this.#takeBack(request, mark)
      if (CONFLICTS.includes(postgresCodeOf(error))) return { status: 'conflict', error }
      if (isCommitting && isRefusal(postgresCodeOf(error))) return { status: 'refused', error }
      throw error
    } finally {
      this.#slots.release()
    }
  }

  forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    return this.#store.forget(integration, eventId)
  }

  prune(): Promise<number> {
    return this.#store.prune()
  }

  migrate(): Promise<void> {
    return this.#store.migrate()
  }

  /**
   * Most libraries take the COMMIT of a transaction in which a statement has failed for done, although PostgreSQL has rolled back.
   *
   * @throws TransactionEndedError if the mark of the event is missing
   */
  async #requireMark({ integration, eventId }: ClaimRequest, mark: string | undefined): Promise<void> {
    if (this.#opener.knowsCommit || mark === undefined) return
    const found = await this.#queries.run('look for the mark', LOOK_FOR_MARK, [integration, eventId, mark])
    if (found.length === 0) throw new TransactionEndedError()
  }

  /** Lets the event be processed again, if the handler has committed this mark. Never rejects. */
  async #takeBack({ integration, eventId }: ClaimRequest, mark: string | undefined): Promise<void> {
    if (mark === undefined) return
    await this.#queries.run('take back', TAKE_BACK, [integration, eventId, mark]).catch(() => undefined)
  }

  /** Marks the event as processed, which locks its row and that of its note. @returns the fencing token; `null` if a row has changed */
  async #hold(
    connection: PostgresConnection,
    request: ClaimRequest,
    seen: Seen,
    change: NoteChange | undefined,
  ): Promise<string | null> {
    const rows = this.#queries.runIn<HoldRow>(connection, HOLD, holdValues(request, seen, change))
    const [row] = await limited(rows.catch(noRowIfChanged), 'hold')
    return row?.token ?? null
  }

  /** @throws TransactionEndedError if the handler has ended the transaction */
  async #revise(connection: PostgresConnection, values: unknown[]): Promise<void> {
    const rows = this.#queries.runIn(connection, REVISE, values)
    const [revised] = await limited(rows, 'revise').catch(throwEnd)
    if (revised === undefined) throw new TransactionEndedError()
  }
}

/** An error of the COMMIT may hide that it has taken effect. */
function mayHaveCommitted(isCommitting: boolean, error: unknown): boolean {
  return isCommitting && !(error instanceof TransactionEndedError)
}

function throwEnd(error: unknown): never {
  throw explainEnd(error)
}
