import { createReceiver, type Receiver } from '@notewire/webhooks'
import { type PostgresConnection, postgresStore } from '@notewire/webhooks/postgres'
import { type SQL, sql } from 'drizzle-orm'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'

const deletions = pgTable('deletions', { noteId: text('note_id').notNull(), reason: text() })

export function receiverWithDrizzle(pool: Pool): Receiver {
  const database = drizzle({ client: pool })
  return createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresStore(pool),
    on: {
      'note.deleted': ({ data }, context) =>
        database.transaction(async (transaction) => {
          await transaction.insert(deletions).values({ noteId: data.note_id, reason: data.reason ?? null })
          await context.commit(connectionOf(transaction))
        }),
    },
  })
}

/** A transaction of Drizzle as the store takes it. */
export function connectionOf(
  transaction: Pick<NodePgTransaction<never, never>, 'execute' | 'rollback'>,
): PostgresConnection {
  return { query: (text, values) => transaction.execute(withValues(text, values)) }
}

function withValues(text: string, values: readonly unknown[]): SQL {
  const [first = '', ...others] = text.split(/\$\d+/)
  return sql.join([sql.raw(first), ...others.flatMap((part, index) => [sql.param(values[index]), sql.raw(part)])])
}
