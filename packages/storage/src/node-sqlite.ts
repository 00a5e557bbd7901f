import { NotewireError, OptionError, refuseSurplusOptions } from '@notewire/protocol'
import { connectionDriver, type SqliteConnection } from './sqlite-connection.ts'
import { type SqliteDriver, SqliteFolderMissingError } from './sqlite-driver.ts'
import { refuseUrl, sqliteLocation } from './sqlite-file.ts'

/**
 * The SQLite of the runtime, `node:sqlite`: in Node.js from 22.13 on, Bun and Deno. `sqliteStore('events.db')` is short for
 * `sqliteStore(nodeSqlite('events.db'))`.
 *
 * @param path  the file, which is created at the first use of the store, in a folder that exists; `:memory:` keeps everything in the
 * process, where no transaction of a handler can reach it
 * @throws OptionError if `path` is empty, no text, or the URL of another database
 */
export function nodeSqlite(path: string): SqliteDriver<SqliteConnection>
export function nodeSqlite(path: string, ...surplus: readonly unknown[]): SqliteDriver<SqliteConnection> {
  refuseSurplusOptions('nodeSqlite', surplus)
  if (typeof path !== 'string' || path === '') {
    throw new OptionError('path', "path needs the path of a file, such as nodeSqlite('events.db'), or ':memory:'.")
  }
  refuseUrl(path)
  return connectionDriver(
    () => openFile(path),
    (database) => database.close(),
    path,
  )
}

function openFile(path: string): InstanceType<typeof import('node:sqlite').DatabaseSync> {
  const { DatabaseSync } = importNodeSqlite()
  try {
    return new DatabaseSync(sqliteLocation(path))
  } catch (error) {
    if (error instanceof NotewireError) throw error
    const { resolve, dirname } = process.getBuiltinModule('node:path')
    const absolute = resolve(path)
    const folder = dirname(absolute)
    const isFile = !path.startsWith('file:') && String(error).includes('unable to open database file')
    const isFolderMissing = isFile && !process.getBuiltinModule('node:fs').existsSync(folder)
    throw isFolderMissing ? new SqliteFolderMissingError(absolute, folder, error) : error
  }
}

// Not by `import`: bundlers for Workers and browsers cannot resolve it, and it prints a warning even if SQLite is not used.
function importNodeSqlite(): typeof import('node:sqlite') {
  const found = globalThis.process?.getBuiltinModule?.('node:sqlite')
  if (found === undefined) throw new NodeSqliteMissingError()
  return found
}

/** This runtime has no `node:sqlite`. */
export class NodeSqliteMissingError extends NotewireError<'node_sqlite_missing'> {
  constructor() {
    super(
      'node_sqlite_missing',
      'this runtime has no node:sqlite. Use Node.js 22.13 or later, Bun or Deno, or pass a driver instead of a path: ' +
        "betterSqlite(new Database('events.db')) with better-sqlite3, durableObjectSqlite or d1 on Workers.",
    )
  }
}

/**
 * The driver of a store that takes a path or a driver.
 *
 * @param examples  a call with a path, and a call with a driver, for the message of the error
 * @throws OptionError if `database` is neither
 */
export function driverOf<Transaction>(
  database: string | SqliteDriver<Transaction>,
  examples: { readonly path: string; readonly driver: string },
): SqliteDriver<SqliteConnection> | SqliteDriver<Transaction> {
  const given: string | { readonly batch?: unknown } | null | undefined = database
  if (typeof given === 'string' ? given === '' : typeof given?.batch !== 'function') {
    throw new OptionError(
      'database',
      `database needs the path of a file, such as ${examples.path}, or a driver, such as ${examples.driver}.`,
    )
  }
  if (typeof database === 'string') return nodeSqlite(database)
  refuseOtherDatabase(database)
  return database
}

/** Databases whose `batch` takes statements of their own. */
function refuseOtherDatabase(database: object): void {
  const has = (method: string) => typeof (database as Readonly<Record<string, unknown>>)[method] === 'function'
  if (has('prepare')) {
    throw new OptionError('database', 'database is a binding of D1, not a driver. Pass d1(env.DB).')
  }
  if (has('execute') || has('select')) {
    throw new OptionError(
      'database',
      'database is a client of libSQL or of a query builder, not a driver. Pass the path of a file, or betterSqlite, d1 or durableObjectSqlite ' +
        'over the database itself.',
    )
  }
}
