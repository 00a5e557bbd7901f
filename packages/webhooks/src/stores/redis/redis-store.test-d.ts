import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis'
import { describe, expectTypeOf, it } from 'vitest'
import { createReceiver, type ReceiverStore } from '../../index.ts'
import { type IoredisClient, type NodeRedisClient, redisStore } from './index.ts'

describe('the client', () => {
  it('is one of ioredis', () => {
    expectTypeOf<Redis>().toExtend<IoredisClient>()
    expectTypeOf<Cluster>().toExtend<IoredisClient>()
    redisStore(new Redis({ sentinels: [{ host: 'localhost', port: 26379 }], name: 'notes' }))
    redisStore(new Cluster([]))
  })

  it('is one of redis', () => {
    expectTypeOf(createClient()).toExtend<NodeRedisClient>()
    redisStore(createClient())
    redisStore(createClient({ RESP: 2 }))
    redisStore(createClient({ commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } }))
    redisStore(createClientPool())
    redisStore(createCluster({ rootNodes: [] }))
    redisStore(createSentinel({ name: 'notes', sentinelRootNodes: [] }))
  })

  it('is not a promise or an address', () => {
    // @ts-expect-error to be awaited first
    redisStore(createClient().connect())
    // @ts-expect-error an address
    redisStore('redis://localhost')
  })
})

describe('the store', () => {
  it('has no transactions, so that context.commit takes nothing', () => {
    expectTypeOf(redisStore(new Redis())).toEqualTypeOf<ReceiverStore>()
    createReceiver({
      secret: () => undefined,
      store: redisStore(new Redis()),
      on: {
        // @ts-expect-error no transaction
        'note.ended': (_event, context) => context.commit(new Redis().multi()),
      },
    })
  })
})
