import { NotewireError } from '@notewire/protocol'
import { connectionDriver, type SqliteConnection } from './sqlite-connection.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/**
 * The SQLite of the runtime, `node:sqlite`: in Node.js from 22.13 on, Bun and Deno. `sqliteStore('events.db')` is short for
 * `sqliteStore(nodeSqlite('events.db'))`.
 *
 * @param path  the file, which is created at the first use of the store; `:memory:` keeps everything in the process, where
 * no transaction of a handler can reach it
 */
export function nodeSqlite(path: string): SqliteDriver<SqliteConnection> {
  return connectionDriver(
    () => new (importNodeSqlite().DatabaseSync)(path),
    (database) => database.close(),
  )
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
