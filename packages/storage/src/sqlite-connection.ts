import { OptionError } from '@notewire/protocol'
import { savepointName } from './savepoint-name.ts'
import {
  type Durability,
  explainMissingTables,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  type SqliteValue,
} from './sqlite-driver.ts'
import type { SynchronousSqlite, TransactionEnded } from './synchronous-sqlite.ts'

/** The methods that a store calls on a connection: a `DatabaseSync` of `node:sqlite`, or a `Database` of `better-sqlite3`. */
export interface SqliteConnection {
  /** Runs statements without returning rows. */
  exec(sql: string): unknown
  /** Prepares a statement. */
  prepare(sql: string): PreparedStatement
  /** Whether a transaction is open: the property of `node:sqlite`, from Node.js 22.16 on. */
  readonly isTransaction?: boolean
  /** Whether a transaction is open: the property of `better-sqlite3`. */
  readonly inTransaction?: boolean
  /** Whether statements are allowed while an iterator is open: the method of `better-sqlite3`. */
  unsafeMode?(isUnsafe: boolean): unknown
  /** The file, in `node:sqlite` from Node.js 22.16 on. */
  location?(): string | null
  /** The file, in `better-sqlite3`. */
  readonly name?: string
}

/** The methods that a store calls on a prepared statement. */
export interface PreparedStatement {
  /** Runs the statement, and returns its rows. */
  all(...parameters: SqliteValue[]): unknown[]
  /** Runs the statement without returning rows. */
  run(...parameters: SqliteValue[]): unknown
  /** Whether the statement returns rows. If not, `all` of `better-sqlite3` throws. */
  readonly reader?: boolean
}

// No busy timeout: SQLite would block the thread, and the transaction that it waits for may run on the same thread.
const SETTINGS = 'PRAGMA busy_timeout = 0; PRAGMA journal_mode = WAL'

// In WAL mode, a flush also flushes everything written before it.
const SYNCHRONOUS: Readonly<Record<Durability, string>> = {
  process: 'PRAGMA synchronous = NORMAL',
  'power-cut': 'PRAGMA synchronous = FULL',
}

/**
 * A driver over one connection that only the store uses.
 *
 * @param open  called at the first use of the store, and at the first use after it was closed
 * @param close  closes the connection that `open` returned
 * @param givenPath  the file, for connections that do not say it
 */
export function connectionDriver<Connection extends SqliteConnection>(
  open: () => Connection,
  close?: (connection: Connection) => void,
  givenPath?: string,
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
      // A single statement is its own transaction.
      if (statements.length === 1) return runAll(connected, statements)
      return inTransaction(connected, () => runAll(connected, statements))
    },

    batchIn(transaction, statements) {
      refuseWithoutTransaction(transaction)
      try {
        return runAll(transaction, statements)
      } catch (error) {
        throw explainMissingTables(error, pathOf(transaction), OTHER_FILE)
      }
    },

    get path() {
      return (connection && pathOf(connection)) ?? givenPath
    },

    close() {
      if (connection !== undefined) close?.(connection)
      connection = undefined
      isSet = false
      outliving = undefined
    },
  }
}

/**
 * A connection of the user's, for transactions of a store in which functions of the user run. It is set to `synchronous = FULL`: otherwise a power
 * cut could undo what was acknowledged.
 *
 * @throws OptionError if `database` is no connection, or one that is asynchronous
 */
export function synchronousConnection<Connection extends SqliteConnection>(
  database: Connection,
): SynchronousSqlite<Connection> {
  refuseNoConnection(database)
  let isDurable = false
  const durable = () => {
    if (!isDurable) database.exec('PRAGMA synchronous = FULL')
    isDurable = true
    return database
  }
  return {
    transaction: database,
    run: (statements) => runAll(durable(), statements),
    inTransaction: (work) => inTransaction(durable(), work),
    handle: (handler, ended) => betweenSavepoints(database, handler, ended),
    get path() {
      return pathOf(database)
    },
  }
}

function inTransaction<Result>(connection: SqliteConnection, work: () => Result): Result {
  run(connection, 'BEGIN IMMEDIATE')
  try {
    const result = work()
    run(connection, 'COMMIT')
    return result
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

/** The savepoint exists no longer if the function has ended the transaction, even if it has begun another one. */
function betweenSavepoints<Result>(connection: SqliteConnection, work: () => Result, ended: TransactionEnded): Result {
  run(connection, `SAVEPOINT ${savepointName()}`)
  const result = work()
  try {
    run(connection, `RELEASE ${savepointName()}`)
  } catch (error) {
    throw ended(error, isIterating(error))
  }
  return result
}

/** Whether the connection refuses a statement because the rows of another one are still being read. */
function isIterating(error: unknown): boolean {
  return error instanceof Error && /statements in progress|busy executing a query/.test(error.message)
}

const OTHER_FILE =
  'It is the database of the connection that was passed to commit. Open it on the file of the store, so that your rows and the ' +
  'record of the store are committed together.'

/** Returns the file of a connection, if it says it. */
function pathOf(connection: SqliteConnection): string | undefined {
  return connection.location?.() ?? connection.name
}

/** Runs statements, each prepared once. */
function runAll(connection: SqliteConnection, statements: readonly SqliteStatement[]): readonly SqliteRow[][] {
  return statements.map(({ sql, parameters }) => run(connection, sql, parameters))
}

function run(connection: SqliteConnection, sql: string, parameters: readonly SqliteValue[] = []): SqliteRow[] {
  const prepared = preparedOnce(connection, sql)
  if (prepared.reader !== false) return prepared.all(...parameters) as SqliteRow[]
  prepared.run(...parameters)
  return []
}

const preparedBy = new WeakMap<SqliteConnection, Map<string, PreparedStatement>>()

// Preparing a statement costs more than running it. A store has a fixed number of statements.
function preparedOnce(connection: SqliteConnection, sql: string): PreparedStatement {
  const statements = preparedBy.get(connection) ?? new Map<string, PreparedStatement>()
  preparedBy.set(connection, statements)
  const prepared = statements.get(sql) ?? connection.prepare(sql)
  statements.set(sql, prepared)
  return prepared
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // SQLite has already rolled back by itself, for example because the disk is full.
    if (connection.inTransaction === true) rollBackWhileIterating(connection)
  }
}

/** `better-sqlite3` refuses every statement while an iterator is open, and the transaction would stay open for whatever comes next. */
function rollBackWhileIterating(connection: SqliteConnection): void {
  connection.unsafeMode?.(true)
  try {
    connection.exec('ROLLBACK')
  } finally {
    connection.unsafeMode?.(false)
  }
}

function refuseWithoutTransaction(connection: SqliteConnection): void {
  if (connection.isTransaction ?? connection.inTransaction ?? refusesBegin(connection)) return
  throw new OptionError(
    'transaction',
    'the connection passed to commit has no open transaction, so nothing could be committed together ' +
      'with your rows. Run BEGIN IMMEDIATE before your rows and COMMIT after the call, or call it inside db.transaction(…).',
  )
}

// Only `node:sqlite` before Node.js 22.16 has neither property. SQLite refuses BEGIN in a transaction, and leaves the transaction open.
function refusesBegin(connection: SqliteConnection): boolean {
  try {
    connection.exec('BEGIN')
  } catch {
    return true
  }
  connection.exec('ROLLBACK')
  return false
}

/** @throws OptionError if `database` is no connection with synchronous statements */
function refuseNoConnection(database: SqliteConnection): void {
  const has = (method: string) => typeof Object(database)[method] === 'function'
  // D1 and libSQL have `batch`; `sqlite3`, with callbacks, has `each`; sql.js has `getRowsModified`.
  const isOther = ['batch', 'each', 'getRowsModified'].some(has)
  if (has('exec') && has('prepare') && !isOther) return
  throw new OptionError(
    'database',
    "database needs a connection, such as new DatabaseSync('app.db') of node:sqlite or new Database('app.db') of better-sqlite3, whose " +
      'statements are synchronous. D1 has no transactions for handlers: use sqliteStore(d1(env.DB)).',
  )
}

/**
 * SQLite through `better-sqlite3`.
 *
 * @param database  a connection that only the store uses. The store sets it to WAL, `synchronous = FULL` and no timeout. You
 * close it.
 * @throws OptionError if `database` is no connection, or one that is asynchronous
 */
export function betterSqlite(database: SqliteConnection): SqliteDriver<SqliteConnection> {
  refuseNoConnection(database)
  return connectionDriver(() => database)
}
