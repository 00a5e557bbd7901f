import { OptionError } from '@notewire/protocol'

/**
 * What runs one SQL statement: a `Pool`, `Client` or `PoolClient` of `pg`, or a few lines over another driver or query
 * builder.
 */
export interface PostgresConnection {
  /**
   * @param text  one statement, in which the placeholders `$1`, `$2` … stand once each and in order
   * @param values  text, numbers and nulls, one a placeholder
   * @returns the rows, with the columns by their names
   */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** @throws OptionError if `pool` has no `query` */
export function refuseWithoutQuery(pool: PostgresConnection): void {
  const given: Partial<PostgresConnection> | null | undefined = pool
  if (typeof given?.query === 'function') return
  throw new OptionError(
    'pool',
    'pool has no method "query". Pass a Pool of pg, or an object with query(text, values), not a promise.',
  )
}
