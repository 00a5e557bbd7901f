import { type Client, type ClientBase, Pool, type PoolClient } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import { createReceiver, createReceivers, type Receiver, type Receivers, type TransactionContext } from '../../index.ts'
import { type PostgresTransactions, postgresStore, postgresTransactions } from './index.ts'

const pool = new Pool()

interface LibraryTransaction {
  execute(text: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>
}
const connectionOf = (transaction: LibraryTransaction) => ({
  query: (text: string, values: unknown[]) => transaction.execute(text, values),
})

describe('postgresTransactions', () => {
  it('gives handlers the client of the pool', () => {
    expectTypeOf(postgresTransactions(pool)).toEqualTypeOf<PostgresTransactions<PoolClient>>()
    const receiver = createReceiver({
      secret: undefined,
      store: postgresTransactions(pool),
      on: {
        'note.updated': (_event, context) => {
          expectTypeOf(context.transaction).toEqualTypeOf<PoolClient>()
          expectTypeOf(context.prepared).toEqualTypeOf<undefined>()
        },
      },
    })
    expectTypeOf(receiver).toEqualTypeOf<Receiver>()
  })

  it('gives handlers a client that helpers take', () => {
    const withBase = (client: ClientBase) => client.query('SELECT 1')
    const withPoolClient = (client: PoolClient) => client.query('SELECT 1')
    const withEither = (client: Pool | PoolClient) => client.query('SELECT 1')
    createReceiver({
      secret: undefined,
      store: postgresTransactions(pool),
      on: {
        'note.updated': async (_event, { transaction }) => {
          expectTypeOf(transaction).toExtend<ClientBase>()
          await withBase(transaction)
          await withPoolClient(transaction)
          await withEither(transaction)
        },
      },
    })
  })

  it('gives handlers the transaction of a library', () => {
    const open = async (work: (transaction: LibraryTransaction) => Promise<void>) => work({} as LibraryTransaction)
    createReceiver({
      secret: undefined,
      store: postgresTransactions((work) => open(work), connectionOf),
      on: {
        'note.updated': (_event, { transaction }) => {
          expectTypeOf(transaction).toEqualTypeOf<LibraryTransaction>()
        },
      },
    })
    // @ts-expect-error nothing runs a statement in the transaction
    postgresTransactions((work) => open(work))
  })

  it('gives handlers what prepare returns', () => {
    const many = createReceivers({
      secretOf: (integration) => integration,
      store: postgresTransactions(pool),
      prepare: async (event) => ({ kind: event.event_type, size: 3 }),
      on: {
        'note.updated': (_event, { prepared, transaction }) => {
          expectTypeOf(prepared.size).toEqualTypeOf<number>()
          expectTypeOf(transaction).toEqualTypeOf<PoolClient>()
        },
      },
    })
    expectTypeOf(many).toEqualTypeOf<Receivers>()
    createReceiver({
      secret: undefined,
      prepare: () => 'a note',
      on: { 'note.updated': (_event, { prepared }) => expectTypeOf(prepared).toEqualTypeOf<string>() },
    })
  })

  it('excludes what has no transactions', () => {
    const overHttp = { query: async (_text: string, _values: unknown[]) => ({ rows: [] as unknown[] }) }
    postgresStore(overHttp)
    // @ts-expect-error PostgreSQL over HTTP
    postgresTransactions(overHttp)
    // @ts-expect-error a single client, of which concurrent events would share the transaction
    postgresTransactions({} as Client)
  })

  it('takes handlers that are written elsewhere, for this transaction only', () => {
    const onPool = (_event: unknown, { transaction }: TransactionContext<PoolClient>) => transaction.query('SELECT 1')
    createReceiver({ secret: undefined, store: postgresTransactions(pool), on: { 'note.updated': onPool } })
    // @ts-expect-error a store with leases opens no transaction
    createReceiver({ secret: undefined, store: postgresStore(pool), on: { 'note.updated': onPool } })
  })
})
