/** What a store needs in the database. */
export interface PostgresTables {
  /** The file of the package that creates it, with the name of the package. */
  readonly file: string
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
 *
 * @param schema  where to create them. @default the first schema of the `search_path`
 */
export function migrationOf(
  { functions, lock, requirement = '', statements }: PostgresTables,
  schema: string | undefined,
): string {
  const returnIfDone = `
  IF ${functions.map((name) => `to_regproc('${name}') IS NOT NULL`).join(' AND ')} THEN
    RETURN;
  END IF;`
  // All three settings and the lock end with the transaction, so that PgBouncer may give the connection to another client.
  return `
DO $migration$
BEGIN${schema === undefined ? '' : `\n  PERFORM set_config('search_path', '"${schema}"', true);`}${returnIfDone}${requirement}
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock(${lock});${returnIfDone}
${schema === undefined ? '' : `\n  IF to_regnamespace('"${schema}"') IS NULL THEN\n    CREATE SCHEMA "${schema}";\n  END IF;\n`}${statements.join('')}
-- Each function finds the tables in the schema in which it was created, whatever the search_path of its caller.
${functions.map((name) => `ALTER FUNCTION ${name} SET search_path FROM CURRENT;`).join('\n')}
END
$migration$
`
}

/** Lists the functions that are missing. */
export function missingOf({ functions }: PostgresTables): string {
  return `SELECT name FROM unnest(ARRAY[${functions.map((name) => `'${name}'`).join(', ')}]) AS name WHERE to_regproc(name) IS NULL`
}
