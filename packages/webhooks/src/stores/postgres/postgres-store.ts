import { type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../../interfaces/store.ts'
import {
  type PostgresConnection,
  type PostgresStoreOptions,
  type PostgresTransaction,
  refuseWrongPostgres,
} from '../../storage/postgres-connection.ts'
import { PostgresTimeoutError } from '../../storage/postgres-errors.ts'
import {
  isInTransaction,
  LOCK_NOT_AVAILABLE,
  type PostgresQueries,
  postgresCodeOf,
} from '../../storage/postgres-queries.ts'
import { CLAIM_LOST } from './commit-function.ts'
import { appliedIn } from './note-state.ts'
import { pruneTable } from './pruning.ts'
import { LONGEST_KEPT_MS, receiverQueries } from './receiver-queries.ts'

/** A store in PostgreSQL. */
export interface PostgresStore extends ReceiverStore<PostgresTransaction> {
  /**
   * Commits an event in the handler's own transaction. `context.commit` calls it.
   *
   * @param transaction  runs statements in the open transaction: the `PoolClient` that began it
   * @throws OptionError if `transaction` has no open transaction, for example a `Pool`
   */
  commitIn(transaction: PostgresTransaction, claim: Claim): Promise<CommitResult>
  /**
   * Creates the tables `notewire_events` and `notewire_notes` and the functions that the store calls, if they are missing. Any
   * number of instances may call it at once, and at every start. Instances of the previous version can continue meanwhile:
   * functions have their version in their name and never change.
   *
   * @throws PostgresNotMigratedError with the option `migrate: false`, if something is missing
   * @throws PostgresTimeoutError after 30 s, or if a lock was not available within 10 s
   */
  migrate(): Promise<void>
}

/**
 * A store in PostgreSQL 14 or newer, for any number of instances. A claim is one statement and a commit is one statement; the
 * store holds no connection while a handler runs; `context.commit(tx)` commits an event in the handler's own transaction, with two
 * statements.
 *
 * It works behind PgBouncer in transaction mode, and uses the clock of the server. Statements run at the default isolation level of
 * the connection, which must be `read committed`, the default of PostgreSQL: at a higher level, simultaneous claims fail with
 * `40001` instead of `busy`.
 *
 * An operation rejects with `PostgresTimeoutError` after 5 s, or if a lock is not available within `lock_timeout`. Call `migrate` before
 * the first delivery, and `prune` hourly from a job of yours: nothing else removes rows.
 *
 * @param pool  your pool of `pg`, or an object with `query(text, values)`
 * @throws OptionError if `pool` has no `query`, or for an unknown or invalid option
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { postgresStore } from '@notewire/webhooks/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * // Without these listeners, a connection that breaks ends the process: an idle one, or one in a transaction, whose query also rejects.
 * pool.on('error', console.error)
 * pool.on('connect', (client) => client.on('error', () => undefined))
 * const store = postgresStore(pool)
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: {
 *     'note.deleted': async ({ data }, context) => {
 *       const client = await pool.connect()
 *       try {
 *         await client.query('BEGIN')
 *         await client.query('DELETE FROM copies WHERE note_id = $1', [data.note_id])
 *         await context.commit(client)
 *         await client.query('COMMIT')
 *       } catch (error) {
 *         await client.query('ROLLBACK')
 *         throw error
 *       } finally {
 *         client.release()
 *       }
 *     },
 *   },
 * })
 * ```
 */
export function postgresStore(pool: PostgresConnection, options: PostgresStoreOptions = {}): PostgresStore {
  refuseWrongPostgres('postgresStore', pool, options)
  return new StoreInPostgres(pool, options)
}

const CLAIM = 'SELECT notewire_claim_2($1, $2, $3, $4, $5, $6, $7, $8, $9) AS result'
const COMMIT = 'SELECT notewire_commit_2($1, $2, $3, $4, $5, $6, $7, $8, $9) AS result'
const COMMIT_IN = `${COMMIT} WHERE ${isInTransaction('$10')}`
const SET_LEASE = 'SELECT notewire_lease_1($1, $2, $3, $4, $5) AS result'
const FORGET = `UPDATE notewire_events SET forgotten = true
  WHERE integration = $1 AND event_id = $2 AND kept_until IS NOT NULL AND NOT forgotten
  RETURNING 'forgotten' AS result`

interface ResultRow<Result> {
  readonly result: Result
}

class StoreInPostgres implements PostgresStore {
  readonly #queries: PostgresQueries

  constructor(pool: PostgresConnection, options: PostgresStoreOptions) {
    this.#queries = receiverQueries(pool, options)
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { integration, eventId, note, gate, leaseMs } = request
    const values = [integration, eventId, note?.noteId ?? null, gate, ...valuesOf(note?.change), leaseMs]
    const claiming = this.#queries.run<ResultRow<string>>('claim', CLAIM, values, (lateRows) => {
      // The receiver no longer waits for this claim. It would keep its event busy until its lease ends.
      const late = claimResult(lateRows, request)
      if (late.status === 'claimed') this.release(late.claim).catch(() => undefined)
    })
    return claimResult(await claiming.catch(noRowsIfLocked), request)
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const values = [...keysOf(claim), leaseMs]
    const [row] = await this.#queries.run<ResultRow<'current' | 'lost'>>('renew', SET_LEASE, values)
    return row?.result === 'current' ? 'renewed' : 'lost'
  }

  async commit(claim: Claim): Promise<CommitResult> {
    return await this.#queries
      .run<CommitRow>('commit', COMMIT, commitValues(claim))
      .then(([row]) => commitResult(row), lostOrThrow)
  }

  async commitIn(transaction: PostgresTransaction, claim: Claim): Promise<CommitResult> {
    return await this.#queries
      .runInTransaction<CommitRow>(transaction, COMMIT_IN, (id) => [...commitValues(claim), id])
      .then(commitResult, lostOrThrow)
  }

  async release(claim: Claim): Promise<void> {
    await this.#queries.run('release', SET_LEASE, [...keysOf(claim), null])
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const rows = await this.#queries.run('forget', FORGET, [integration, eventId])
    return rows.length === 0 ? 'unknown' : 'forgotten'
  }

  async prune(): Promise<number> {
    return (await pruneTable('notewire_events', this.#queries)) + (await pruneTable('notewire_notes', this.#queries))
  }

  async migrate(): Promise<void> {
    await this.#queries.migrate()
  }
}

function claimResult([row]: readonly ResultRow<string>[], request: ClaimRequest): ClaimResult {
  const [status, number, ...state] = row?.result.split(' ') ?? []
  switch (status) {
    case 'claimed':
      return { status, claim: { request, fencingToken: String(number), applied: appliedIn(state) } }
    case 'stale':
      return { status, appliedRevision: number === '' ? undefined : Number(number) }
    case 'duplicate':
      return { status }
    default:
      return { status: 'busy' }
  }
}

/** A transaction of `postgresTransactions` processes the event, or another event of its note. */
function noRowsIfLocked(error: unknown): readonly never[] {
  if (error instanceof PostgresTimeoutError && postgresCodeOf(error.cause) === LOCK_NOT_AVAILABLE) return []
  throw error
}

function commitValues(claim: Claim): unknown[] {
  const { note, keepMs } = claim.request
  return [...keysOf(claim), ...valuesOf(note?.change), Math.min(keepMs, LONGEST_KEPT_MS)]
}

type CommitRow = ResultRow<CommitResult>

function commitResult(row: CommitRow | undefined): CommitResult {
  return row?.result === 'committed' ? 'committed' : 'lost'
}

function lostOrThrow(error: unknown): 'lost' {
  if (postgresCodeOf(error) === CLAIM_LOST) return 'lost'
  throw error
}

function keysOf({ request: { integration, eventId, note }, fencingToken }: Claim): readonly unknown[] {
  return [integration, eventId, note?.noteId ?? null, fencingToken]
}

/** The kind of a change, its revision, its key in `seen`, and the time at which it occurred. */
function valuesOf(change: NoteChange | undefined): readonly unknown[] {
  return change === undefined
    ? [null, null, null, null]
    : [change.kind, change.revision ?? null, ...raiseRevision(undefined, change).seen, change.occurredAt ?? null]
}
