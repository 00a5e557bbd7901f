import type { ApplyChanges } from '@notewire/mirror'
import type { PostgresTransaction } from '@notewire/mirror/postgres'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import { ofKysely } from './connections.ts'

interface Tables {
  readonly outbox: { readonly note_id: string; readonly kind: string }
}

/** Writes every change to the table `outbox`. */
export function applyWithKysely(pool: Pool): ApplyChanges<PostgresTransaction> {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return (changes, { commit }) =>
    database.transaction().execute(async (transaction) => {
      const rows = changes.map(({ noteId, kind }) => ({ note_id: noteId, kind }))
      await transaction.insertInto('outbox').values(rows).execute()
      await commit(ofKysely(transaction))
    })
}
