import type { ApplyChanges } from '@notewire/mirror'
import type { PostgresTransaction } from '@notewire/mirror/postgres'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import { ofDrizzle, withClient } from './connections.ts'

const outbox = pgTable('outbox', { noteId: text('note_id').notNull(), kind: text().notNull() })

/** Writes every change to the table `outbox`. */
export function applyWithDrizzle(pool: Pool): ApplyChanges<PostgresTransaction> {
  return (changes, { commit }) =>
    withClient(pool, (client) =>
      drizzle({ client }).transaction(async (transaction) => {
        await transaction.insert(outbox).values(changes.map(({ noteId, kind }) => ({ noteId, kind })))
        await commit(ofDrizzle(transaction))
      }),
    )
}
