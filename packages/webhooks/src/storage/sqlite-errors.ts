import { NotewireError } from '@notewire/protocol'

/** The SQLite database lacks the tables of the store. */
export class SqliteNotMigratedError extends NotewireError<'sqlite_not_migrated'> {
  /** @param path  the file of the database; `undefined` for a database without one */
  constructor(path: string | undefined, nextStep: string, cause: unknown) {
    const database = path === undefined ? 'the database' : `the database ${path}`
    super('sqlite_not_migrated', `${database} has no tables of this store. ${nextStep}`, { cause })
  }
}

/** The folder of a SQLite file does not exist. */
export class SqliteFolderMissingError extends NotewireError<'sqlite_folder_missing'> {
  constructor(path: string, folder: string, cause: unknown) {
    super(
      'sqlite_folder_missing',
      `SQLite cannot create ${path}: the folder ${folder} does not exist. Create the folder before the program starts, or pass another path.`,
      { cause },
    )
  }
}

// The name of the table is the only part of the message that is the same in all drivers.
const TABLE_MISSING = /no such table: (?:main\.)?notewire_/

/**
 * Explains an error of SQLite, if it says that a table of a store is missing. Another error is returned unchanged.
 *
 * @param path  the file of the database, if it has one
 * @param nextStep  what to do, in sentences
 */
export function explainMissingTables(error: unknown, path: string | undefined, nextStep: string): unknown {
  const isMissing = error instanceof Error && TABLE_MISSING.test(error.message)
  return isMissing ? new SqliteNotMigratedError(path, nextStep, error) : error
}
