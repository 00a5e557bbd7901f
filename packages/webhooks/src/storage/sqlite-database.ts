import { OptionError } from '@notewire/protocol'
import { nodeSqlite } from './node-sqlite.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

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
  return typeof database === 'string' ? nodeSqlite(database) : database
}
