import { OptionError } from '@notewire/protocol'
import { type PostgresConnection, PostgresTimeoutError } from '@notewire/storage'
import { TransactionEndedError } from '../../interfaces/transaction-store.ts'
import { handlerClient } from './handler-client.ts'
import {
  explainEnd,
  GivenUpError,
  limited,
  releaseSavepoint,
  Slots,
  setSavepoint,
  type TransactionOpener,
  type WorkIn,
} from './transaction-opener.ts'
import { withValues } from './with-values.ts'

/** The methods that the receiver calls on a `Pool` of `pg`, or of a driver with the same interface. */
export interface PostgresPool<Client> extends PostgresConnection {
  /** Takes a connection out of the pool. */
  readonly connect: { (): Promise<Client>; (callback: never): unknown }
  readonly options?: { readonly max?: number | undefined }
}

/** The methods that the receiver calls on a `PoolClient` of `pg`. */
export interface PostgresPoolClient extends PostgresConnection {
  /** Gives the connection back, or closes it. */
  release(close?: boolean): void
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
  /** `T` in an open transaction: a method of `pg` from 8.17 on. */
  getTransactionStatus?(): string | null
}

/** The default of `pg`. */
const DEFAULT_MAX = 10

/**
 * Opens transactions on connections of a pool of `pg`.
 *
 * @throws OptionError if `pool` is a client
 */
export function poolTransactions<Client extends PostgresPoolClient>(
  pool: PostgresPool<Client>,
): TransactionOpener<Client> {
  refuseClient(pool)
  return {
    connection: pool,
    slots: slotsOf(pool),
    knowsCommit: true,
    run: (work, givenUp) => runOn(pool, work, givenUp),
  }
}

const knownSlots = new WeakMap<object, Slots>()

/** The slots of a pool, which all receivers on it share. */
export function slotsOf(pool: Pick<PostgresPool<never>, 'options'>): Slots {
  const known = knownSlots.get(pool)
  if (known !== undefined) return known
  // One connection remains for looks, and for code that asks the pool for another connection.
  const slots = new Slots(Math.max(1, (pool.options?.max ?? DEFAULT_MAX) - 1))
  knownSlots.set(pool, slots)
  return slots
}

async function runOn<Client extends PostgresPoolClient>(
  pool: PostgresPool<Client>,
  work: WorkIn<Client>,
  givenUp: Promise<unknown>,
): Promise<void> {
  const client = await limited(pool.connect(), 'connect', (late) => late.release())
  requireClient(client)
  // Without a listener, a connection that breaks would end the process. The statement that runs rejects, too.
  client.on?.('error', ignore)
  const handlers = handlerClient(client)
  const handle = async (handler: (transaction: Client) => unknown) => {
    try {
      await handler(handlers.client)
    } finally {
      handlers.end('ended')
    }
    await handlers.complete()
  }
  let isReusable = false
  try {
    await untilGivenUp(work({ connection: beginning(client), handle }), givenUp)
    await commit(client)
    isReusable = true
  } catch (error) {
    handlers.end('given-up')
    const isHanging = error instanceof GivenUpError || error instanceof PostgresTimeoutError || handlers.isStreaming
    isReusable = !isHanging && (await rollBack(client))
    throw error
  } finally {
    client.off?.('error', ignore)
    // A handler that still runs could otherwise write in the transaction of another event.
    client.release(!isReusable)
  }
}

/** Sends the BEGIN and the savepoint with the first statement, which saves two round trips. */
function beginning(client: PostgresPoolClient): PostgresConnection {
  let hasBegun = false
  return {
    query: async (text, values) => {
      if (hasBegun) return await client.query(text, values)
      hasBegun = true
      const results: unknown = await client.query(`BEGIN; ${setSavepoint()}; ${withValues(text, values)}`, [])
      // The result of each statement.
      return (results as readonly Awaited<ReturnType<PostgresConnection['query']>>[]).at(-1) ?? { rows: [] }
    },
  }
}

/** A `Client` or `PoolClient` of `pg` has one transaction, which all events would share. */
function refuseClient(pool: object): void {
  if (!('escapeIdentifier' in pool)) return
  throw new OptionError(
    'pool',
    'pool is one Client of pg, but each event needs a connection of its own. Pass the pool: new Pool({ connectionString }).',
  )
}

/** @throws OptionError if `connect` is not that of a pool */
function requireClient(client: Partial<PostgresPoolClient> | null | undefined): void {
  if (typeof client?.release === 'function' && typeof client.query === 'function') return
  throw new OptionError(
    'pool',
    'pool.connect did not resolve to a client with query and release. Pass a Pool of pg, not one Client: new Pool({ connectionString }).',
  )
}

function untilGivenUp(work: Promise<void>, givenUp: Promise<unknown>): Promise<void> {
  return Promise.race([
    work,
    givenUp.then(() => {
      throw new GivenUpError()
    }),
  ])
}

async function commit(client: PostgresPoolClient): Promise<void> {
  const status = client.getTransactionStatus?.() ?? 'T'
  if (status !== 'T') throw new TransactionEndedError()
  // PostgreSQL does not run the COMMIT if there is no savepoint to release.
  const results: unknown = await limited(client.query(`${releaseSavepoint()}; COMMIT`, []), 'commit').catch(throwEnd)
  const last = Array.isArray(results) ? results.at(-1) : results
  // The answer to the COMMIT of a transaction in which a statement has failed.
  if (last?.command === 'ROLLBACK') throw new TransactionEndedError()
}

function throwEnd(error: unknown): never {
  throw explainEnd(error)
}

async function rollBack(client: PostgresPoolClient): Promise<boolean> {
  try {
    await limited(client.query('ROLLBACK', []), 'rollback')
    return true
  } catch {
    return false
  }
}

const ignore = () => undefined
