import { Client, Pool, type PoolClient } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import { createReceiver } from '../../index.ts'
import { type PostgresConnection, type PostgresTransaction, postgresStore } from './index.ts'

describe('postgresStore', () => {
  it('takes a pool or a client of pg, or an object with query', () => {
    postgresStore(new Pool())
    postgresStore(new Client())
    postgresStore({ query: async () => ({ rows: [] }) })
    // @ts-expect-error a connection string
    postgresStore('postgres://localhost/app')
    // @ts-expect-error the promise of a pool
    postgresStore(Promise.resolve(new Pool()))
  })

  it('has handlers commit in a transaction of pg', () => {
    createReceiver({
      secret: () => undefined,
      store: postgresStore(new Pool()),
      on: {
        'note.updated': async (_event, context) => {
          expectTypeOf(context.commit).toEqualTypeOf<(transaction: PostgresTransaction) => Promise<void>>()
          await context.commit({} as PoolClient)
          await context.commit(new Client())
          await context.commit({ query: async () => ({ rows: [] }) } satisfies PostgresConnection)
          // @ts-expect-error a pool, which has no transaction
          await context.commit(new Pool())
          // @ts-expect-error no transaction at all
          await context.commit()
        },
      },
    })
  })
})
