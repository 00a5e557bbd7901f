import { NotewireError } from '@notewire/protocol'

/** The database lacks the tables or functions that this version of the store works with. */
export class PostgresNotMigratedError extends NotewireError<'postgres_not_migrated'> {
  constructor(cause: unknown) {
    super(
      'postgres_not_migrated',
      "the database lacks what this version's mirror works with, or has it in a schema outside the search_path of the " +
        'connection. Mirrors migrate their store when they are first used; where you use the store alone, call `await store.migrate()` first.',
      { cause },
    )
  }
}
