import { Client, Pool, type PoolClient } from 'pg'
import { describe, expectTypeOf, it } from 'vitest'
import type { MirrorStore } from '../mirror-store.ts'
import { postgresMirror } from './index.ts'

describe('postgresMirror', () => {
  it('takes a pool or a client of pg, or anything with its query', () => {
    expectTypeOf(postgresMirror(new Pool())).toExtend<MirrorStore>()
    postgresMirror({} as PoolClient)
    postgresMirror(new Client())
    postgresMirror({ query: async () => ({ rows: [] }) })
    // @ts-expect-error a connection string
    postgresMirror('postgres://localhost/app')
    // @ts-expect-error the promise of a pool
    postgresMirror(Promise.resolve(new Pool()))
  })
})
