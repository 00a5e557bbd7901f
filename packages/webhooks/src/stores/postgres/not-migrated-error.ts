import { NotewireError } from '@notewire/protocol'

const UNDEFINED_FUNCTION = '42883'
const UNDEFINED_TABLE = '42P01'

/** The database lacks the tables or functions that this version of the store works with. */
export class PostgresNotMigratedError extends NotewireError<'postgres_not_migrated'> {
  constructor(cause: unknown) {
    super(
      'postgres_not_migrated',
      "the database lacks what this version's store works with, or has it in a schema outside the search_path of the " +
        'connection. Call `await store.migrate()` before the first delivery, and again when the package is upgraded.',
      { cause },
    )
  }
}

/** What to throw for an error of the driver: the error itself, unless `migrate` was forgotten. */
export function explained(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return code === UNDEFINED_FUNCTION || code === UNDEFINED_TABLE ? new PostgresNotMigratedError(error) : error
}
