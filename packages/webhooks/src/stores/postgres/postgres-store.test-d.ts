import { Client, Pool } from 'pg'
import { describe, it } from 'vitest'
import { postgresStore } from './index.ts'

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
})
