import type { SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'

/** What the store uses of the `storage` of a Durable Object with SQLite. */
export interface DurableObjectSqlStorage {
  /** Its SQL. */
  readonly sql: {
    /** Runs a statement. */
    exec(
      query: string,
      ...bindings: SqliteValue[]
    ): {
      /** Reads its rows. */
      toArray(): object[]
    }
  }
  /** Runs a function in a transaction, which is rolled back when it throws. */
  transactionSync<Result>(closure: () => Result): Result
}

/**
 * SQLite of a Durable Object. Mark an event within `storage.transactionSync`, by `context.commit(storage)`.
 *
 * @param storage  `ctx.storage` of a class that the configuration lists in `new_sqlite_classes`
 */
export function durableObjectSqlite(storage: DurableObjectSqlStorage): SqliteDriver<DurableObjectSqlStorage> {
  return {
    batch: (statements) => storage.transactionSync(() => runAll(storage, statements)),
    batchIn: runAll,
  }
}

function runAll({ sql }: DurableObjectSqlStorage, statements: readonly SqliteStatement[]): readonly SqliteRow[][] {
  return statements.map((statement) => sql.exec(statement.sql, ...statement.parameters).toArray() as SqliteRow[])
}
