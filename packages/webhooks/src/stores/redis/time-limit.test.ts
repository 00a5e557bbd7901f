import { once } from 'node:events'
import { Redis } from 'ioredis'
import { startRedis } from 'notewire-test-servers'
import { describe, expect, it } from 'vitest'
import { aRequest } from '../../../fixtures/stores/redis/claims.ts'
import { clientMakers } from '../../../fixtures/stores/redis/clients.ts'
import { RedisTimeoutError, redisStore } from './redis-store.ts'

const makers = clientMakers.filter(({ name }) => ['ioredis', 'redis'].includes(name))

describe.concurrent('a Redis that does not answer', () => {
  it.for(makers)(
    'rejects an operation by $name after five seconds, and releases a claim that is granted later',
    async ({ connect }, { expect }) => {
      await using server = await startRedis()
      const client = await connect(server.port)
      const other = new Redis(server.port)
      const store = redisStore(client.client)
      const request = aRequest({ leaseMs: 600_000 })

      // PAUSE WRITE also pauses scripts, but not UNPAUSE.
      await other.call('CLIENT', 'PAUSE', '600000', 'WRITE')
      await expect(store.claim(request)).rejects.toThrow(RedisTimeoutError)

      await other.call('CLIENT', 'UNPAUSE')
      await expect.poll(() => store.claim(request)).toMatchObject({ status: 'claimed' })
      client.close()
      other.disconnect()
    },
  )

  it('rejects an operation of an offline client that would queue it forever', async () => {
    await using server = await startRedis()
    const client = new Redis(server.port, { maxRetriesPerRequest: null })
    client.on('error', () => undefined)
    await once(client, 'ready')
    await server.stop()
    const store = redisStore(client)
    const asked = [store.claim(aRequest()), store.forget('integration', 'event_1')]
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected')
    await expect(asked[0]).rejects.toThrow(/Redis did not answer "claim" within 5 s/)
    client.disconnect()
  })
})
