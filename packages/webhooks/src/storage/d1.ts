import type { SqliteDriver, SqliteRow, SqliteValue } from './sqlite-driver.ts'

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
 * Cloudflare D1. It has no transactions for handlers, hence no `context.commit`: the receiver commits an event after its handler.
 *
 * @param database  the binding, as `env.DB`
 */
export function d1(database: D1Binding): SqliteDriver {
  return {
    async batch(statements) {
      const bound = statements.map(({ sql, parameters }) => database.prepare(sql).bind(...parameters))
      return (await database.batch(bound)).map(({ results }) => results as SqliteRow[])
    },
  }
}
