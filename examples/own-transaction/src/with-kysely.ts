import { createReceiver, type Receiver } from '@notewire/webhooks'
import { type PostgresConnection, postgresStore } from '@notewire/webhooks/postgres'
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely'
import type { Pool } from 'pg'

interface Tables {
  readonly deletions: { readonly note_id: string; readonly reason: string | null }
}

export function receiverWithKysely(pool: Pool): Receiver {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresStore(pool),
    on: {
      'note.deleted': ({ data }, context) =>
        database.transaction().execute(async (transaction) => {
          await transaction
            .insertInto('deletions')
            .values({ note_id: data.note_id, reason: data.reason ?? null })
            .execute()
          await context.commit(connectionOf(transaction))
        }),
    },
  })
}

/** A transaction of Kysely as the store takes it. */
export function connectionOf(
  transaction: Pick<Transaction<never>, 'executeQuery' | 'isTransaction'>,
): PostgresConnection {
  return { query: (text, values) => transaction.executeQuery(CompiledQuery.raw(text, values)) }
}
