import { OptionError } from '@notewire/protocol'
import type { SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'
import type { SynchronousSqlite } from './synchronous-sqlite.ts'

/** The methods that a store calls on the `storage` of a Durable Object with SQLite. */
export interface DurableObjectSqlStorage {
  /** The SQL API. */
  readonly sql: {
    /** Runs a statement. */
    exec(
      query: string,
      ...bindings: SqliteValue[]
    ): {
      /** Reads the rows. */
      toArray(): object[]
    }
  }
  /** Runs a function in a transaction, which is rolled back if the function throws. */
  transactionSync<Result>(closure: () => Result): Result
}

/**
 * The SQLite of a Durable Object.
 *
 * @param storage  `ctx.storage` of a class that the configuration lists in `new_sqlite_classes`
 * @throws OptionError if `storage` has no SQLite
 */
export function durableObjectSqlite(storage: DurableObjectSqlStorage): SqliteDriver<DurableObjectSqlStorage> {
  refuseNoStorage(storage)
  return {
    batch: (statements) => storage.transactionSync(() => runAll(storage, statements)),
    batchIn: runAll,
    hasOneProcess: true,
  }
}

/**
 * A Durable Object, for transactions of a store in which functions of the user run.
 *
 * @param storage  `ctx.storage`
 * @throws OptionError if `storage` has no SQLite
 */
export function synchronousObject<Storage extends DurableObjectSqlStorage>(
  storage: Storage,
): SynchronousSqlite<Storage> {
  refuseNoStorage(storage)
  return {
    transaction: storage,
    run: (statements) => runAll(storage, statements),
    inTransaction: (work) => storage.transactionSync(work),
    // A Durable Object refuses statements that begin or end a transaction.
    handle: (handler) => handler(),
    path: undefined,
  }
}

/** @throws OptionError if `storage` is not that of a Durable Object with SQLite */
function refuseNoStorage(storage: DurableObjectSqlStorage): void {
  const given: Partial<DurableObjectSqlStorage> | null | undefined = storage
  if (typeof given?.transactionSync === 'function') return
  throw new OptionError(
    'storage',
    'storage needs ctx.storage of a Durable Object with SQLite: list its class in new_sqlite_classes of the configuration.',
  )
}

/** Runs statements in the transaction that is open, if one is. */
function runAll({ sql }: DurableObjectSqlStorage, statements: readonly SqliteStatement[]): readonly SqliteRow[][] {
  return statements.map((statement) => sql.exec(statement.sql, ...statement.parameters).toArray() as SqliteRow[])
}

/** The methods that a store calls on the binding of a D1 database. */
export interface D1Binding {
  /** Prepares a statement. */
  prepare(query: string): D1Statement
  /** Runs statements in one transaction. */
  batch(statements: D1Statement[]): Promise<{ readonly results: unknown[] }[]>
}

/** The methods that a store calls on a prepared statement of D1. */
export interface D1Statement {
  /** Binds the parameters. */
  bind(...values: SqliteValue[]): D1Statement
}

/**
 * Cloudflare D1. It has no transactions for handlers: the receiver commits an event after its handler.
 *
 * @param database  the binding, as `env.DB`
 * @throws OptionError if `database` is no binding
 */
export function d1(database: D1Binding): SqliteDriver {
  const given: Partial<D1Binding> | null | undefined = database
  if (typeof given?.prepare !== 'function' || typeof given.batch !== 'function') {
    throw new OptionError(
      'database',
      'database needs the binding of a D1 database. Pass env.DB, and check that the configuration has a binding of this name in d1_databases.',
    )
  }
  return {
    async batch(statements) {
      const bound = statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
      return (await database.batch(bound)).map(({ results }) => results as SqliteRow[])
    },
  }
}
