import { createReceiver, type Receiver } from '@notewire/webhooks'
import { type PostgresConnection, postgresStore } from '@notewire/webhooks/postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export function receiverWithPrisma(pool: Pool): Receiver {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresStore(pool),
    on: {
      'note.deleted': ({ data }, context) =>
        prisma.$transaction(async (transaction) => {
          await transaction.deletion.create({ data: { noteId: data.note_id, reason: data.reason ?? null } })
          await context.commit(connectionOf(transaction))
        }),
    },
  })
}

/** A transaction of Prisma as the store takes it. Only the client itself has `$connect`. */
export function connectionOf(transaction: Prisma.TransactionClient & { $connect?: never }): PostgresConnection {
  return { query: async (text, values) => ({ rows: await transaction.$queryRawUnsafe<unknown[]>(text, ...values) }) }
}
