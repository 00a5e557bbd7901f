import type { SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'

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
 * The SQLite of a Durable Object. Call `context.commit(storage)` inside `storage.transactionSync`: the store cannot check it, because a Durable
 * Object does not show whether a transaction is open.
 *
 * @param storage  `ctx.storage` of a class that the configuration lists in `new_sqlite_classes`
 */
export function durableObjectSqlite(storage: DurableObjectSqlStorage): SqliteDriver<DurableObjectSqlStorage> {
  return {
    batch: (statements) => storage.transactionSync(() => runAll(storage, statements)),
    batchIn: runAll,
  }
}

/** Runs statements in the transaction that is open, if one is. */
export function runAll(
  { sql }: DurableObjectSqlStorage,
  statements: readonly SqliteStatement[],
): readonly SqliteRow[][] {
  return statements.map((statement) => sql.exec(statement.sql, ...statement.parameters).toArray() as SqliteRow[])
}
