import { once } from 'node:events'
import { Redis } from 'ioredis'
import { startRedis } from 'notewire-test-servers'
import { describe, expect, it } from 'vitest'
import { aRequest } from './fixtures/claims.ts'
import { clientMakers } from './fixtures/clients.ts'
import { RedisTimeoutError, redisStore } from './redis-store.ts'

const makers = clientMakers.filter(({ name }) => ['ioredis', 'redis'].includes(name))

describe.concurrent('a Redis that does not answer', () => {
  it.for(makers)(
    'fails an operation by $name after five seconds, and a claim that it gives later is given back',
    async ({ connect }, { expect }) => {
      await using server = await startRedis()
      const client = await connect(server.port)
      const other = new Redis(server.port)
      const store = redisStore(client.client)
      const request = aRequest({ leaseMs: 600_000 })

      // Scripts wait as what writes does; UNPAUSE does not.
      await other.call('CLIENT', 'PAUSE', '600000', 'WRITE')
      await expect(store.claim(request)).rejects.toThrow(RedisTimeoutError)

      await other.call('CLIENT', 'UNPAUSE')
      await expect.poll(() => store.claim(request)).toMatchObject({ status: 'claimed' })
      client.close()
      other.disconnect()
    },
  )

  it('fails an operation of a client that is offline and would queue it for ever', async () => {
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
