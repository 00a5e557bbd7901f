import { OptionError } from '@notewire/protocol'
import { type NoteChange, raiseRevision } from '../../receiver/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../store.ts'
import { withinTimeLimit } from '../time-limit.ts'
import { MIGRATION } from './migration.ts'
import { explained } from './not-migrated-error.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { PostgresTimeoutError } from './postgres-timeout-error.ts'
import { pruneTable } from './pruning.ts'

/** A store in PostgreSQL. */
export interface PostgresStore extends ReceiverStore<PostgresConnection> {
  /**
   * Marks an event within a transaction of the handler's own, which is what `context.commit` calls.
   *
   * @param transaction  runs statements within the transaction: the `PoolClient` that began it
   */
  commitIn(transaction: PostgresConnection, claim: Claim): Promise<CommitResult>
  /**
   * Makes the tables `notewire_events` and `notewire_notes` and the functions that the store calls, where they are missing: in
   * the first schema of the connection's `search_path`. Any number of instances may call it at once, and at every start.
   *
   * Instances of the version before can go on meanwhile: functions carry their version in their name and are never changed.
   * It has no time limit but the driver's.
   */
  migrate(): Promise<void>
}

/**
 * A store in PostgreSQL 14 or newer, for any number of instances. One statement a claim and one a commit; nothing is held
 * while a handler runs; `context.commit(tx)` marks an event in the handler's own transaction.
 *
 * It works behind PgBouncer in transaction mode, and takes time from the server. Statements run at the isolation level that is the
 * default of the connection, which is to be `read committed`, as PostgreSQL's is: at a higher one, simultaneous claims
 * fail with `40001` instead of being told `busy`.
 *
 * An operation that takes longer than 5 s rejects with `PostgresTimeoutError`. Call `migrate` before the first delivery, and
 * `prune` by the hour from a job of yours: nothing is removed otherwise.
 *
 * @param pool  your pool of `pg`, or anything with its `query(text, values)`
 * @throws OptionError for what has no `query`
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { postgresStore } from '@notewire/webhooks/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * // Without it, a restart of the server ends the process: a connection that breaks while idle is an error of the pool.
 * pool.on('error', console.error)
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
export function postgresStore(pool: PostgresConnection): PostgresStore {
  const given: Partial<PostgresConnection> | null | undefined = pool
  if (typeof given?.query !== 'function') {
    throw new OptionError(
      'pool',
      'pool has no method "query". Give a Pool of pg, or an object with query(text, values), and not the promise of it.',
    )
  }
  return new StoreInPostgres(pool)
}

const CLAIM = 'SELECT notewire_claim_1($1, $2, $3, $4, $5, $6, $7, $8) AS result'
const COMMIT = 'SELECT notewire_commit_1($1, $2, $3, $4, $5, $6, $7, $8) AS result'
const SET_LEASE = 'SELECT notewire_lease_1($1, $2, $3, $4, $5) AS result'
const FORGET = `UPDATE notewire_events SET forgotten = true
  WHERE scope = $1 AND event_id = $2 AND kept_until IS NOT NULL AND NOT forgotten
  RETURNING 'forgotten' AS result`

/** Three thousand years: PostgreSQL counts no further than some hundred thousand, and callers may mean for ever. */
const LONGEST_KEPT_MS = 1e14

interface ResultRow<Result> {
  readonly result: Result
}

class StoreInPostgres implements PostgresStore {
  readonly #pool: PostgresConnection

  constructor(pool: PostgresConnection) {
    this.#pool = pool
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const work = this.#claim(request)
    return await withinTimeLimit(
      work,
      () => new PostgresTimeoutError('claim'),
      (late) => {
        if (late.status === 'claimed') this.release(late.claim).catch(() => undefined)
      },
    )
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const [row] = await this.#run<ResultRow<'current' | 'lost'>>('renew', SET_LEASE, [...keysOf(claim), leaseMs])
    return row?.result === 'current' ? 'renewed' : 'lost'
  }

  async commit(claim: Claim): Promise<CommitResult> {
    return await withinTimeLimit(this.commitIn(this.#pool, claim), () => new PostgresTimeoutError('commit'))
  }

  async commitIn(transaction: PostgresConnection, claim: Claim): Promise<CommitResult> {
    const { note, keepMs } = claim.request
    const values = [...keysOf(claim), ...valuesOf(note?.change), Math.min(keepMs, LONGEST_KEPT_MS)]
    const [row] = await rowsOf<ResultRow<CommitResult>>(transaction, COMMIT, values)
    return row?.result === 'committed' ? 'committed' : 'lost'
  }

  async release(claim: Claim): Promise<void> {
    await this.#run('release', SET_LEASE, [...keysOf(claim), null])
  }

  async forget(scope: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const [row] = await this.#run('forget', FORGET, [scope, eventId])
    return row === undefined ? 'unknown' : 'forgotten'
  }

  async prune(): Promise<number> {
    const connection: PostgresConnection = {
      query: async (text, values) => ({ rows: await this.#run('prune', text, values) }),
    }
    return (await pruneTable('notewire_events', connection)) + (await pruneTable('notewire_notes', connection))
  }

  async migrate(): Promise<void> {
    await this.#pool.query(MIGRATION, [])
  }

  async #claim(request: ClaimRequest): Promise<ClaimResult> {
    const { scope, eventId, note, gate, leaseMs } = request
    const values = [scope, eventId, note?.noteId ?? null, gate, ...valuesOf(note?.change), leaseMs]
    const [row] = await rowsOf<ResultRow<string>>(this.#pool, CLAIM, values)
    const [status, number] = row?.result.split(' ') ?? []
    switch (status) {
      case 'claimed':
        return { status, claim: { request, fencingToken: String(number) } }
      case 'stale':
        return { status, appliedRevision: Number(number) }
      case 'duplicate':
        return { status }
      default:
        return { status: 'busy' }
    }
  }

  #run<Row>(operation: string, text: string, values: unknown[]): Promise<readonly Row[]> {
    return withinTimeLimit(rowsOf<Row>(this.#pool, text, values), () => new PostgresTimeoutError(operation))
  }
}

async function rowsOf<Row>(connection: PostgresConnection, text: string, values: unknown[]): Promise<readonly Row[]> {
  try {
    return (await connection.query(text, values)).rows as readonly Row[]
  } catch (error) {
    throw explained(error)
  }
}

function keysOf({ request: { scope, eventId, note }, fencingToken }: Claim): readonly unknown[] {
  return [scope, eventId, note?.noteId ?? null, fencingToken]
}

/** The kind of a change, its revision, and its name among those seen at a revision. */
function valuesOf(change: NoteChange | undefined): readonly unknown[] {
  return change === undefined
    ? [null, null, null]
    : [change.kind, change.revision, ...raiseRevision(undefined, change).seen]
}
