import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis'
import { describe, expectTypeOf, it } from 'vitest'
import type { ReceiverStore } from '../../store.ts'
import { type IoredisClient, type NodeRedisClient, redisStore } from './redis-store.ts'

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

  it('is not a client over HTTP, whose commands have other parameters', () => {
    const upstash = {
      evalsha: async (_sha1: string, keys: string[], args: string[]): Promise<unknown> => [keys, args],
      eval: async (_script: string, keys: string[], args: string[]): Promise<unknown> => [keys, args],
    }
    // @ts-expect-error a list of keys in place of their number
    redisStore(upstash)
  })

  it('is not a promise or an address', () => {
    // @ts-expect-error to be awaited first
    redisStore(createClient().connect())
    // @ts-expect-error an address
    redisStore('redis://localhost')
  })
})

it('the store is one with leases', () => {
  expectTypeOf(redisStore(new Redis())).toEqualTypeOf<ReceiverStore>()
})
