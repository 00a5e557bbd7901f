import { createReceiver, type Receiver } from '@notewire/webhooks'
import { type PostgresTransactions, postgresTransactions } from '@notewire/webhooks/postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle, type NodePgTransaction } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import knexOf, { type Knex } from 'knex'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool } from 'pg'
import { DataSource, type EntityManager } from 'typeorm'
import { ofDrizzle, ofKysely, ofPrisma, withClient } from './connections.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'

const deletions = pgTable('deletions', { noteId: text('note_id').notNull(), reason: text() })

interface Tables {
  readonly deletions: { readonly note_id: string; readonly reason: string | null }
}

/** Receivers that write each deletion exactly once, in the transaction of the receiver. Each ends the connections that it has opened. */
export const receivers: Readonly<Record<string, (url: string) => Promise<OpenReceiver>>> = {
  pg: async (url) => {
    const pool = poolOf(url)
    const store = postgresTransactions(pool)
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction.query('INSERT INTO deletions (note_id, reason) VALUES ($1, $2)', [noteId, reason]),
    )
    return { receiver, end: () => pool.end() }
  },
  drizzle: async (url) => {
    const pool = poolOf(url)
    const store = postgresTransactions<NodePgTransaction<never, never>>(
      (work) =>
        withClient(pool, (client) =>
          drizzle({ client }).transaction((transaction) => work(transaction as NodePgTransaction<never, never>)),
        ),
      ofDrizzle,
      { pool },
    )
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction.insert(deletions).values({ noteId, reason }),
    )
    return { receiver, end: () => pool.end() }
  },
  kysely: async (url) => {
    const pool = poolOf(url)
    const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    // With the pool, a connection that breaks in a transaction does not end the process.
    const store = postgresTransactions<Transaction<Tables>>((work) => database.transaction().execute(work), ofKysely, {
      pool,
    })
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction.insertInto('deletions').values({ note_id: noteId, reason }).execute(),
    )
    return { receiver, end: () => database.destroy() }
  },
  prisma: async (url) => {
    const pool = poolOf(url)
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
    // The receiver ends transactions that take too long. Prisma would end them after five seconds.
    const store = postgresTransactions<Prisma.TransactionClient>(
      (work) => prisma.$transaction(work, { timeout: 60_000 }),
      ofPrisma,
    )
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction.deletion.create({ data: { noteId, reason } }),
    )
    return { receiver, end: () => prisma.$disconnect().then(() => pool.end()) }
  },
  knex: async (url) => {
    const knex = knexOf({ client: 'pg', connection: url })
    const store = postgresTransactions<Knex.Transaction>(
      (work) => knex.transaction(work),
      // Knex numbers placeholders itself.
      (transaction) => ({
        query: async (text, values) =>
          await transaction.raw(text.replaceAll(/\$\d+/g, '?'), values as Knex.RawBinding[]),
      }),
    )
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction('deletions').insert({ note_id: noteId, reason }),
    )
    return { receiver, end: () => knex.destroy() }
  },
  typeorm: async (url) => {
    const source = await new DataSource({ type: 'postgres', url }).initialize()
    const store = postgresTransactions<EntityManager>(
      (work) => source.transaction(work),
      (transaction) => ({
        query: async (text, values) => ({ rows: await transaction.query(text, values) }),
      }),
    )
    const receiver = receiverOf(store, (transaction, noteId, reason) =>
      transaction.query('INSERT INTO deletions (note_id, reason) VALUES ($1, $2)', [noteId, reason]),
    )
    return { receiver, end: () => source.destroy() }
  },
}

interface OpenReceiver {
  readonly receiver: Receiver
  end(): Promise<void>
}

function receiverOf<Transaction>(
  store: PostgresTransactions<Transaction>,
  write: (transaction: Transaction, noteId: string, reason: string | null) => PromiseLike<unknown>,
): Receiver {
  return createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store,
    on: {
      'note.deleted': async ({ data }, { transaction }) => {
        await write(transaction, data.note_id, data.reason ?? null)
      },
    },
  })
}

function poolOf(url: string): Pool {
  const pool = new Pool({ connectionString: url })
  pool.on('error', console.error)
  return pool
}
