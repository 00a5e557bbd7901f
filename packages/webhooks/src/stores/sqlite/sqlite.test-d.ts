import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { describe, expectTypeOf, it } from 'vitest'
import { createReceiver } from '../../index.ts'
import {
  betterSqlite,
  type D1Binding,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
  durableObjectTransactions,
  type SqliteConnection,
  type SqliteStore,
  sqliteStore,
  sqliteTransactions,
} from './index.ts'

const database = new Database(':memory:')

describe('a connection', () => {
  it('is one of node:sqlite or of better-sqlite3', () => {
    expectTypeOf<DatabaseSync>().toExtend<SqliteConnection>()
    expectTypeOf<Database.Database>().toExtend<SqliteConnection>()
    betterSqlite(database)
  })
})

describe('context.commit', () => {
  it('takes the connection of a handler, of either kind', () => {
    createReceiver({
      secret: () => undefined,
      store: sqliteStore('events.db'),
      on: {
        'note.ended': (_event, context) => context.commit(new DatabaseSync('events.db')),
        'note.deleted': (_event, context) => context.commit(database),
        // @ts-expect-error no connection
        'note.updated': (_event, context) => context.commit('events.db'),
      },
    })
  })

  it('takes the storage of a Durable Object', () => {
    const storage = {} as DurableObjectSqlStorage
    expectTypeOf(sqliteStore(durableObjectSqlite(storage))).toEqualTypeOf<SqliteStore<DurableObjectSqlStorage>>()
    createReceiver({
      secret: () => undefined,
      store: sqliteStore(durableObjectSqlite(storage)),
      on: { 'note.ended': (_event, context) => storage.transactionSync(() => void context.commit(storage)) },
    })
  })

  it('takes nothing on D1, which has no transactions for handlers', () => {
    const store = sqliteStore(d1({} as D1Binding))
    expectTypeOf(store).toEqualTypeOf<SqliteStore>()
    createReceiver({
      secret: () => undefined,
      store,
      // @ts-expect-error no transaction to mark it in
      on: { 'note.ended': (_event, context) => context.commit(database) },
    })
  })
})

describe('transactions of the receiver', () => {
  it('have the connection, or the storage of a Durable Object, as context.transaction', () => {
    createReceiver({
      secret: () => undefined,
      store: sqliteTransactions(database),
      on: { 'note.ended': (_event, { transaction }) => expectTypeOf(transaction).toEqualTypeOf<Database.Database>() },
    })
    createReceiver({
      secret: () => undefined,
      store: durableObjectTransactions({} as DurableObjectSqlStorage),
      on: {
        'note.ended': (_event, { transaction }) => expectTypeOf(transaction).toEqualTypeOf<DurableObjectSqlStorage>(),
      },
    })
  })

  it('are not possible on D1', () => {
    // @ts-expect-error D1 has no transactions for handlers
    sqliteTransactions({} as D1Binding)
    // @ts-expect-error nor has its driver
    sqliteTransactions(d1({} as D1Binding))
    // @ts-expect-error D1 is no storage of a Durable Object
    durableObjectTransactions({} as D1Binding)
  })
})
