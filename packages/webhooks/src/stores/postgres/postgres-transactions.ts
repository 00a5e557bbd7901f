import { OptionError } from '@notewire/protocol'
import { type AppliedRevision, type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import {
  type LookResult,
  type Seen,
  TransactionEndedError,
  type TransactionResult,
  type TransactionStore,
  type TransactionWork,
} from '../../interfaces/transaction-store.ts'
import {
  type PostgresConnection,
  type PostgresStoreOptions,
  refuseWrongPostgres,
} from '../../storage/postgres-connection.ts'
import { isInTransaction, type PostgresQueries, postgresCodeOf } from '../../storage/postgres-queries.ts'
import { type KnownEvent, lookResult } from '../look-result.ts'
import { libraryTransactions, type OpenTransaction } from './library-transactions.ts'
import { Looks } from './looks.ts'
import { appliedIn } from './note-state.ts'
import { type PostgresPool, type PostgresPoolClient, poolTransactions } from './pool-transactions.ts'
import { type PostgresStore, postgresStore } from './postgres-store.ts'
import { LONGEST_KEPT_MS, receiverQueries } from './receiver-queries.ts'
import { Slots } from './slots.ts'
import { limited, type TransactionOpener } from './transaction-opener.ts'
import { arrayOf } from './with-values.ts'

/** A store of which the receiver processes each event in one transaction of PostgreSQL. */
export interface PostgresTransactions<Transaction>
  extends TransactionStore<Transaction>,
    Pick<PostgresStore, 'migrate'> {}

/**
 * Has the receiver process each event in one transaction of PostgreSQL 14 or newer: the processed record of the event, the revision of its
 * note and the rows of the handler are committed together, or not at all. Handlers get the open transaction as `context.transaction`.
 *
 * The receiver opens the transaction and commits it. What takes long, such as a request, belongs into the option `prepare`, which runs
 * before the transaction. A transaction waits 2 s for a lock, and PostgreSQL ends it if it waits 10 s for its next statement. A deadlock
 * (`40P01`), a failed serialization (`40001`) and a lock timeout (`55P03`) are no failure of the handler: the event is tried again.
 *
 * It has the same tables as `postgresStore`, also for instances of the other kind at the same time. It works behind PgBouncer in
 * transaction mode. At most one transaction fewer is open than the pool has connections. Call `migrate` before the first delivery, and
 * `prune` hourly.
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
 * The same with the transactions of a query builder or an object-relational mapper. At most nine are open at once.
 *
 * @param open  runs work in a transaction, and commits when the work resolves: `(work) => database.transaction(work)`
 * @param connectionOf  runs a statement in a transaction of the library
 */
export function postgresTransactions<Transaction>(
  open: OpenTransaction<Transaction>,
  connectionOf: (transaction: Transaction) => PostgresConnection,
  options?: PostgresStoreOptions,
): PostgresTransactions<Transaction>
export function postgresTransactions<Transaction>(
  poolOrOpen: PostgresPool<PostgresPoolClient> | OpenTransaction<Transaction>,
  optionsOrConnectionOf?: PostgresStoreOptions | ((transaction: Transaction) => PostgresConnection),
  options: PostgresStoreOptions = {},
): PostgresTransactions<PostgresPoolClient> | PostgresTransactions<Transaction> {
  if (typeof poolOrOpen === 'function') {
    if (typeof optionsOrConnectionOf !== 'function') {
      throw new OptionError(
        'connectionOf',
        'postgresTransactions needs a second function that runs a statement in a transaction of your library, such as ' +
          '(transaction) => ({ query: async (text, values) => ({ rows: await transaction.$queryRawUnsafe(text, ...values) }) }).',
      )
    }
    return storeWith(libraryTransactions(poolOrOpen, optionsOrConnectionOf), options)
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

// With types, because some drivers send every value as a text.
const HOLD = `SELECT notewire_hold_1($1, $2, $3, $4, $5, $6,
  $7::bigint, $8::boolean, $9::boolean, $10::bigint, $11::text[]) AS result`
const HOLD_IN = `${HOLD} WHERE ${isInTransaction('$12')}`

/** The SQLSTATEs of a deadlock, a failed serialization and a lock timeout. */
const CONFLICTS: readonly unknown[] = ['40P01', '40001', '55P03']

interface ResultRow {
  readonly result: string
}

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
    this.#slots = new Slots(opener.maxTransactions)
  }

  async look(request: ClaimRequest): Promise<LookResult> {
    return lookResult(request, knownEvent(await this.#looks.look(request)))
  }

  async transact(request: ClaimRequest, seen: Seen, work: TransactionWork<Transaction>): Promise<TransactionResult> {
    if (!this.#slots.takeFree()) await limited(this.#slots.take(), 'begin', () => this.#slots.release())
    let hasChanged = false
    const changeOf = work.change()
    try {
      await this.#opener.run(async (transaction, connection) => {
        const token = await this.#hold(connection, request, seen, changeOf)
        if (token === 'changed') {
          hasChanged = true
          throw new Error('the event or its note has changed since the look')
        }
        await work.call(transaction)
        const change = work.change()
        if (this.#opener.isChecked && change?.revision === changeOf?.revision) return
        // It is `changed` if the handler has ended the transaction.
        const held = { ...seen, eventVersion: token, noteVersion: request.note && token }
        if ((await this.#hold(connection, request, held, change)) === 'changed') throw new TransactionEndedError()
      }, work.givenUp)
      return { status: 'committed' }
    } catch (error) {
      if (hasChanged) return { status: 'changed' }
      if (CONFLICTS.includes(postgresCodeOf(error))) return { status: 'conflict', error }
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

  /** @returns the new version of both rows */
  async #hold(
    connection: PostgresConnection,
    { integration, eventId, note, keepMs }: ClaimRequest,
    { applied, eventVersion, noteVersion }: Seen,
    change: NoteChange | undefined,
  ): Promise<'changed' | (string & {})> {
    const values = [
      integration,
      eventId,
      eventVersion ?? null,
      note?.noteId ?? null,
      noteVersion ?? null,
      Math.min(keepMs, LONGEST_KEPT_MS),
      ...stateOf(applied, change),
    ]
    if (this.#opener.isChecked) {
      const [row] = await limited(this.#queries.runIn<ResultRow>(connection, HOLD, values), 'hold')
      return row?.result ?? 'changed'
    }
    const row = this.#queries.runInTransaction<ResultRow>(connection, HOLD_IN, (id) => [...values, id])
    return (await limited(row, 'hold')).result
  }
}

/** The columns of a note after a change. */
function stateOf(applied: AppliedRevision | undefined, change: NoteChange | undefined): readonly unknown[] {
  if (change === undefined) return [null, 'false', 'false', null, null]
  const { revision, deleted, deletedAtAnyRevision = false, deletedAt, seen } = raiseRevision(applied, change)
  return [revision ?? null, String(deleted), String(deletedAtAnyRevision), deletedAt ?? null, arrayOf(seen)]
}

const NO_ROW = '_'

/** Reads the result of the function that looks. */
function knownEvent(row: string): KnownEvent {
  const [eventVersion, noteVersion, isProcessed, isForgotten, isLeased, ...state] = row.split(' ')
  return {
    eventVersion: eventVersion === NO_ROW ? undefined : eventVersion,
    noteVersion: noteVersion === NO_ROW ? undefined : noteVersion,
    isProcessed: isProcessed === 't',
    isForgotten: isForgotten === 't',
    isLeased: isLeased === 't',
    applied: appliedIn(state),
  }
}
