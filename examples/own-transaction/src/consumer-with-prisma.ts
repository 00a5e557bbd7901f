import type { ApplyChanges } from '@notewire/mirror'
import type { PostgresTransaction } from '@notewire/mirror/postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { ofPrisma } from './connections.ts'
import { PrismaClient } from './generated/client.ts'

/** Writes every change to the table `outbox`. */
export function applyWithPrisma(pool: Pool): ApplyChanges<PostgresTransaction> {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return (changes, { commit }) =>
    prisma.$transaction(async (transaction) => {
      await transaction.outbox.createMany({ data: changes.map(({ noteId, kind }) => ({ noteId, kind })) })
      await commit(ofPrisma(transaction))
    })
}
