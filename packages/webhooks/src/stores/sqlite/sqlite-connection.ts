import { OptionError } from '@notewire/protocol'
import type { Durability, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'

/** What the store uses of a connection: a `DatabaseSync` of `node:sqlite`, or a `Database` of `better-sqlite3`. */
export interface SqliteConnection {
  /** Runs statements, and answers none of their rows. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): PreparedStatement
  /** Whether a transaction is open, as `node:sqlite` calls it from Node.js 22.16 on. */
  readonly isTransaction?: boolean
  /** Whether a transaction is open, as `better-sqlite3` calls it. */
  readonly inTransaction?: boolean
}

/** What the store uses of a statement that a connection has prepared. */
export interface PreparedStatement {
  /** Runs it, and answers its rows. */
  all(...parameters: SqliteValue[]): unknown[]
  /** Runs it for its effect. */
  run(...parameters: SqliteValue[]): unknown
  /** Whether it answers rows. `better-sqlite3` refuses `all` where it does not. */
  readonly reader?: boolean
}

// No busy timeout, since SQLite would sleep on the thread of the transaction that it waits for.
const SETTINGS = 'PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL'

// In WAL mode, what is flushed is flushed with all that was written before it.
const SYNCHRONOUS: Readonly<Record<Durability, SqliteStatement>> = {
  process: { sql: 'PRAGMA synchronous = NORMAL', parameters: [] },
  'power-cut': { sql: 'PRAGMA synchronous = FULL', parameters: [] },
}

/**
 * A driver over one connection of the store's own.
 *
 * @param open  called when the store is first used, or used again after it was closed
 * @param close  closes what `open` has opened
 */
export function connectionDriver<Connection extends SqliteConnection>(
  open: () => Connection,
  close?: (connection: Connection) => void,
): SqliteDriver<SqliteConnection> {
  let connection: Connection | undefined
  let isSet = false
  let outliving: Durability | undefined

  function connect(): Connection {
    connection ??= open()
    if (!isSet) connection.exec(SETTINGS)
    isSet = true
    return connection
  }

  return {
    batch(statements, outlives) {
      const connected = connect()
      if (outlives !== outliving) run(connected, SYNCHRONOUS[outlives])
      outliving = outlives
      // One statement is a transaction by itself.
      if (statements.length === 1) return runAll(connected, statements)
      run(connected, BEGIN)
      try {
        const rows = runAll(connected, statements)
        run(connected, COMMIT)
        return rows
      } catch (error) {
        rollBack(connected)
        throw error
      }
    },

    batchIn(transaction, statements) {
      refuseWithoutTransaction(transaction)
      return runAll(transaction, statements)
    },

    close() {
      if (connection !== undefined) close?.(connection)
      connection = undefined
      isSet = false
      outliving = undefined
    },
  }
}

const BEGIN: SqliteStatement = { sql: 'BEGIN IMMEDIATE', parameters: [] }
const COMMIT: SqliteStatement = { sql: 'COMMIT', parameters: [] }

function runAll(connection: SqliteConnection, statements: readonly SqliteStatement[]): readonly SqliteRow[][] {
  return statements.map((statement) => run(connection, statement))
}

function run(connection: SqliteConnection, { sql, parameters }: SqliteStatement): SqliteRow[] {
  const prepared = preparedOnce(connection, sql)
  if (prepared.reader !== false) return prepared.all(...parameters) as SqliteRow[]
  prepared.run(...parameters)
  return []
}

const preparedBy = new WeakMap<SqliteConnection, Map<string, PreparedStatement>>()

// To prepare a statement costs more than to run it. The store has a fixed number of them.
function preparedOnce(connection: SqliteConnection, sql: string): PreparedStatement {
  let statements = preparedBy.get(connection)
  if (statements === undefined) {
    statements = new Map()
    preparedBy.set(connection, statements)
  }
  let prepared = statements.get(sql)
  if (prepared === undefined) {
    prepared = connection.prepare(sql)
    statements.set(sql, prepared)
  }
  return prepared
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // SQLite rolls back by itself when the disk is full, for one; then there is nothing left to roll back.
  }
}

function refuseWithoutTransaction({ isTransaction, inTransaction }: SqliteConnection): void {
  if (isTransaction ?? inTransaction ?? true) return
  throw new OptionError(
    'transaction',
    'context.commit was given a connection without an open transaction, so that nothing would tie the mark to your ' +
      'rows. Run BEGIN IMMEDIATE before your rows and COMMIT after the call, or call it inside db.transaction(…).',
  )
}
