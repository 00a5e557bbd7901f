import type { PostgresConnection } from '@notewire/webhooks/postgres'
import { type SQL, sql } from 'drizzle-orm'
import type { NodePgTransaction } from 'drizzle-orm/node-postgres'
import { CompiledQuery, type Transaction } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Prisma } from './generated/client.ts'

/** Runs statements in a transaction of Drizzle. */
export function ofDrizzle(
  transaction: Pick<NodePgTransaction<never, never>, 'execute' | 'rollback'>,
): PostgresConnection {
  return { query: (text, values) => transaction.execute(withValues(text, values)) }
}

function withValues(text: string, values: readonly unknown[]): SQL {
  const [first = '', ...others] = text.split(/\$\d+/)
  return sql.join([sql.raw(first), ...others.flatMap((part, index) => [sql.param(values[index]), sql.raw(part)])])
}

/** Runs statements in a transaction of Kysely. */
export function ofKysely(transaction: Pick<Transaction<never>, 'executeQuery' | 'isTransaction'>): PostgresConnection {
  return { query: (text, values) => transaction.executeQuery(CompiledQuery.raw(text, values)) }
}

/** Runs statements in a transaction of Prisma. Only the client itself has `$connect`. */
export function ofPrisma(transaction: Prisma.TransactionClient & { $connect?: never }): PostgresConnection {
  return { query: async (text, values) => ({ rows: await transaction.$queryRawUnsafe<unknown[]>(text, ...values) }) }
}

/** Drizzle does not give a connection back to its pool if BEGIN fails on it. After a few broken connections, the pool would have none left. */
export async function withClient(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  // The statement that finds the connection broken fails too. Without a listener, the process would end.
  const onError = () => undefined
  client.on('error', onError)
  try {
    await work(client)
  } finally {
    client.off('error', onError)
    client.release()
  }
}
