/** What a store needs in the database. */
export interface PostgresTables {
  /** The SQL file that creates the tables and functions, with the name of its package. */
  readonly file: string
  /** The functions. If all of them exist, the migration is complete. */
  readonly functions: readonly string[]
  /** The number of an advisory lock: instances that migrate the same store wait for each other. */
  readonly lock: number
  /** PL/pgSQL that raises an exception if this version cannot use the database. */
  readonly requirement?: string
  /** The statements that create what is missing. */
  readonly statements: readonly string[]
}

/**
 * The statement that creates the tables and functions that are missing: one statement, hence one transaction. If nothing is
 * missing it takes no lock and needs no right to create anything.
 *
 * A function never changes. A later version of the store creates functions with other names, and instances that still run this version
 * continue to call theirs on the same tables, which it does not lock: tables, indexes and views that exist are left as they are. Because the tables may get new columns, the functions read a name that is both a parameter
 * and a column as the parameter (`variable_conflict`).
 *
 * @param schema  where to create them. @default the first schema of the `search_path`
 */
export function migrationOf(tables: PostgresTables, schema?: string): string {
  const { functions, lock, requirement = '', statements } = tables
  const returnIfDone = `
  IF NOT EXISTS (${missingFrom(tables)}) THEN
    RETURN;
  END IF;`
  const enter = schema === undefined ? '' : `\n  PERFORM set_config('search_path', '"${schema}"', true);`
  const create =
    schema === undefined
      ? ''
      : `\n  IF to_regnamespace('"${schema}"') IS NULL THEN\n    CREATE SCHEMA "${schema}";\n  END IF;`
  // The settings and the lock end with the transaction, so that PgBouncer may give the connection to another client.
  return `
DO $migration$
BEGIN${enter}${requirement}${returnIfDone}
  PERFORM set_config('lock_timeout', '10s', true);
  -- The instances that have seen the tables do not create them again, so a crash must not undo this transaction.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'local', true);
  END IF;
  PERFORM pg_advisory_xact_lock(${lock});${returnIfDone}${create}
${statements.map(skipExisting).join('')}
-- A function finds the tables in the schema in which it was created, whatever the search_path of its caller.
${functions.map((name) => `ALTER FUNCTION ${name} SET search_path FROM CURRENT;`).join('\n')}
END
$migration$
`
}

/**
 * Makes statements skip the indexes and views that exist. PostgreSQL locks a table before it looks for the index, and `CREATE OR REPLACE VIEW` locks
 * the view. A migration that waits for such locks one after another can deadlock with instances that work meanwhile.
 *
 * A later version that changes a view must therefore replace it by a statement of its own.
 */
function skipExisting(statements: string): string {
  return statements.replaceAll(
    /^CREATE (?:INDEX IF NOT EXISTS|OR REPLACE VIEW) (\w+)[^;]*;/gm,
    (statement, name) =>
      `IF to_regclass(quote_ident(current_schema()) || '.${name}') IS NULL THEN\n${statement}\nEND IF;`,
  )
}

/** Lists the functions that are missing, or of which the migration did not set the `search_path`. */
export function missingFrom({ functions }: PostgresTables): string {
  return `
    SELECT name FROM unnest(ARRAY[${functions.map((name) => `'${name}'`).join(', ')}]) AS name
      WHERE NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regproc(name) AND proconfig::text LIKE '%search_path=%')`
}
