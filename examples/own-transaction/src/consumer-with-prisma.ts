import type { ApplyChanges } from '@notewire/mirror'
import type { PostgresTransaction } from '@notewire/webhooks/postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { PrismaClient } from './generated/client.ts'
import { connectionOf } from './with-prisma.ts'

/** Writes every change to the table `outbox`. */
export function applyWithPrisma(pool: Pool): ApplyChanges<PostgresTransaction> {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return (changes, { commit }) =>
    prisma.$transaction(async (transaction) => {
      await transaction.outbox.createMany({ data: changes.map(({ noteId, kind }) => ({ noteId, kind })) })
      await commit(connectionOf(transaction))
    })
}
