import {
  LOCK_NOT_AVAILABLE,
  type PostgresConnection,
  type PostgresQueries,
  type PostgresStoreOptions,
  PostgresTimeoutError,
  postgresCodeOf,
  refuseWrongPostgres,
} from '@notewire/storage'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../../interfaces/store.ts'
import { claimResult, type Lease, releaseUnused } from '../look-result.ts'
import { CLAIM, type ClaimRow, claimValues } from './claim-function.ts'
import { appliedAfter, COMMIT, claimOf, keptMs, type LeaseRow, RELEASE, RENEW } from './lease-functions.ts'
import { knownEvent } from './look-function.ts'
import { pruneTable } from './pruning.ts'
import { noRowIfChanged, receiverQueries } from './receiver-queries.ts'

/** A store in PostgreSQL. */
export interface PostgresStore extends ReceiverStore {
  /**
   * Creates the tables `notewire_events` and `notewire_notes` and the functions that the store calls, if they are missing. Any
   * number of instances may call it at once, and at every start. Instances of the previous version can continue meanwhile:
   * functions never change, and a later version creates functions with other names.
   *
   * @throws PostgresNotMigratedError with the option `migrate: false`, if something is missing
   * @throws PostgresTimeoutError after 30 s, or if a lock was not available within 10 s
   */
  migrate(): Promise<void>
}

/**
 * A store in PostgreSQL 14 or newer, for any number of instances. A claim is one statement, or two if the event is stale, and a commit is
 * one. The store holds no connection while a handler runs.
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
 * // Without this listener, an idle connection that breaks ends the process.
 * pool.on('error', console.error)
 * const store = postgresStore(pool)
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: { 'note.deleted': ({ data }) => console.log(data.note_id, 'is gone') },
 * })
 * ```
 */
export function postgresStore(pool: PostgresConnection, options: PostgresStoreOptions = {}): PostgresStore {
  refuseWrongPostgres('postgresStore', pool, options)
  return new StoreInPostgres(pool, options)
}

const FORGET = `UPDATE notewire_events SET forgotten = true
  WHERE integration = $1 AND event_id = $2 AND kept_until IS NOT NULL AND NOT forgotten
  RETURNING 'forgotten' AS result`

class StoreInPostgres implements PostgresStore {
  readonly #queries: PostgresQueries

  constructor(pool: PostgresConnection, options: PostgresStoreOptions) {
    this.#queries = receiverQueries(pool, options)
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const claiming = this.#queries.run<ClaimRow>('claim', CLAIM, claimValues(request), (lateRows) => {
      // The receiver no longer waits for this claim. It would keep its event busy until its lease ends.
      const late = leaseIn(lateRows)
      if (late !== undefined) void releaseUnused(request, late, (claim) => this.release(claim))
    })
    const lease = leaseIn(await claiming.catch(noRowsIfTaken))
    if (lease === undefined) return { status: 'busy' }
    return await claimResult(request, lease, (claim) => this.release(claim))
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    return (await this.#holds('renew', RENEW, [...claimOf(claim), leaseMs])) ? 'renewed' : 'lost'
  }

  async commit(claim: Claim): Promise<CommitResult> {
    // What was applied is still the same: another claim would have changed the token.
    const { applied, request } = claim
    const values = [...claimOf(claim), keptMs(request.keepMs), appliedAfter(applied, request.note?.change)]
    return (await this.#holds('commit', COMMIT, values)) ? 'committed' : 'lost'
  }

  async release(claim: Claim): Promise<void> {
    await this.#holds('release', RELEASE, claimOf(claim))
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

  /** Runs a statement for a claim. @returns whether the claim was current */
  async #holds(operation: string, statement: string, values: unknown[]): Promise<boolean> {
    const [row] = await this.#queries.run<LeaseRow>(operation, statement, values).catch(noRowIfChanged)
    return row?.result === 'held'
  }
}

function leaseIn([row]: readonly ClaimRow[]): Lease | undefined {
  return row && { known: { ...knownEvent(row), ...NO_VERSIONS }, token: row.new_fencing_token ?? undefined }
}

// The claim has compared them already.
const NO_VERSIONS = { eventVersion: undefined, noteVersion: undefined }

/** Another worker has claimed the event meanwhile, or a transaction of `postgresTransactions` processes it or another event of its note. */
function noRowsIfTaken(error: unknown): readonly never[] {
  if (error instanceof PostgresTimeoutError && postgresCodeOf(error.cause) === LOCK_NOT_AVAILABLE) return []
  return noRowIfChanged(error)
}
