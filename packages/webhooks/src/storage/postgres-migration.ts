/** What a store needs in the database. */
export interface PostgresSchema {
  /** The functions that exist if and only if the migration is complete. */
  readonly functions: readonly string[]
  /** An arbitrary number: instances that migrate the same store wait for one another by it. */
  readonly lock: number
  /** PL/pgSQL that raises an exception if the database cannot hold the schema. */
  readonly requirement?: string
  /** The statements that create what is missing. */
  readonly statements: readonly string[]
}

/**
 * The statement that creates the tables and functions that are missing: one statement, hence one transaction. If nothing is
 * missing it takes no lock and needs no right to create anything.
 *
 * A function never changes under its name, which ends with its version: a later version of the store creates functions of
 * its own, and instances of the earlier version continue to call theirs on the same tables. Those tables may gain columns
 * meanwhile: the functions read a name that is both a parameter and a column as the parameter (`variable_conflict`).
 */
export function migrationOf({ functions, lock, requirement = '', statements }: PostgresSchema): string {
  const returnIfDone = `
  IF ${functions.map((name) => `to_regproc('${name}') IS NOT NULL`).join(' AND ')} THEN
    RETURN;
  END IF;`
  // The lock ends with the transaction, so that PgBouncer may give the connection to another client.
  return `
DO $migration$
BEGIN${returnIfDone}${requirement}
  PERFORM pg_advisory_xact_lock(${lock});${returnIfDone}
${statements.join('')}
END
$migration$
`
}
