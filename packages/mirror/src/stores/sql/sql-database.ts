import type { Durability } from '@notewire/storage'
import type { Sql } from 'sql-template-tag'

/** A database of SQL. Each row of a result has one column `result`, which contains JSON as of `escapedJson`. */
export interface SqlDatabase {
  readonly dialect: Dialect
  /**
   * Runs a statement that writes nothing, and waits for no lock.
   *
   * @param operation  the method of the store, for error messages
   */
  read<Result>(operation: string, statement: Sql): Promise<readonly Result[]>
  /** Runs a statement in a transaction of its own. */
  write<Result>(operation: string, statement: Sql, durability: Durability): Promise<readonly Result[]>
  /** Whether a statement failed because a unique value exists already. */
  isDuplicate(error: unknown): boolean
}

/** What SQLite and PostgreSQL say differently. */
export interface Dialect {
  /** A value of JSON that a column contains, for `object`. */
  json(column: Sql): Sql
  /** A JSON object. */
  object(fields: Fields): Sql
  /** The JSON object of the keys and numbers that a query returns as `key` and `number`. */
  objectOf(query: Sql): Sql
  /** The JSON array of what a query returns as `item`, which is JSON. */
  arrayOf(query: Sql): Sql
  /** The texts of a JSON array, as rows of a query. */
  textsIn(array: string): Sql
  /** A column of JSON with some fields replaced. */
  withFields(column: Sql, fields: Fields): Sql
  /** The time of the server, in milliseconds since the Unix epoch; NULL if there is no server. */
  readonly serverTime: Sql
  /** Follows a query whose row the statement is about to write, so that concurrent statements find different rows. */
  readonly skippingLocked: Sql
  /** Whether a statement that may write waits for all other writers, even if it finds nothing to write. */
  readonly hasOneWriter: boolean
  /** A condition, always true, for the statement of a `write` with this durability. */
  durably(durability: Durability): Sql
  /** The statement that also returns the time of the server in the field `serverTime`, if `write` returns no row. */
  orServerTime(write: Sql): Sql
  /** The state of a copy, as of `copyState`, with what all transactions that have ended have written. */
  copyOf(integration: Sql): Sql
  /** The latest sequence number of an integration. */
  sequenceOf(integration: Sql): Sql
  /** The feed position of the latest change of an integration. */
  latestPosition(integration: Sql): Sql
  /** Whether the server may lag behind the one that assigned a position. */
  readonly isReplica: Sql
  /** The condition that `note` must be read again, or that it need not, as an index has it. */
  isDirty(isDirty: boolean): Sql
  /** A time of a note or a mirror, in milliseconds since the Unix epoch. */
  milliseconds(time: Sql): Sql
  /** A time in milliseconds since the Unix epoch, to compare it with a time of a note. */
  timestamp(ms: number): Sql
}

/** Expressions by name. */
export type Fields = Readonly<Record<string, Sql>>

/** Runs a statement that returns one row. */
export async function readOne<Result>(database: SqlDatabase, operation: string, statement: Sql): Promise<Result> {
  const [row] = await database.read<Result>(operation, statement)
  return row as Result
}
