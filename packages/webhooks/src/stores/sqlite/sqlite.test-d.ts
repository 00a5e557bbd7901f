import type { DatabaseSync } from 'node:sqlite'
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

describe('a store with leases', () => {
  it('takes a path, and the drivers of better-sqlite3, Durable Objects and D1', () => {
    expectTypeOf(sqliteStore('events.db')).toEqualTypeOf<SqliteStore>()
    expectTypeOf(sqliteStore(betterSqlite(database))).toEqualTypeOf<SqliteStore>()
    expectTypeOf(sqliteStore(durableObjectSqlite({} as DurableObjectSqlStorage))).toEqualTypeOf<SqliteStore>()
    expectTypeOf(sqliteStore(d1({} as D1Binding))).toEqualTypeOf<SqliteStore>()
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
