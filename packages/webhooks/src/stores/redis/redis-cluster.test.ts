import { Redis } from 'ioredis'
import { type RedisCluster, startRedisCluster } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRequest, claimed } from '../../../fixtures/stores/redis/claims.ts'
import { clusterMakers, type TestClient } from '../../../fixtures/stores/redis/clients.ts'
import type { ReceiverStore } from '../../interfaces/store.ts'
import { storeChecks } from '../../testing/store-checks.ts'
import { redisStore } from './redis-store.ts'

let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startRedisCluster()
})
afterAll(() => cluster.stop())

describe.each(clusterMakers)('the store in a Redis Cluster of three, by $name', ({ connect }) => {
  let client: TestClient
  let store: ReceiverStore
  beforeAll(async () => {
    client = await connect(cluster.ports[0] ?? 0)
    store = redisStore(client.client)
  })
  afterAll(() => client.close())

  for (const { name, run } of storeChecks) it(name, () => run(store))

  it('spreads integrations over the nodes', async () => {
    await onEveryNode((node) => node.flushall())
    const integrations = Array.from({ length: 30 }, (_, index) => `integration ${index}`)
    for (const integration of integrations) await store.commit(await claimed(store, aRequest({ integration })))
    const sizes = await onEveryNode((node) => node.dbsize())
    expect(Math.min(...sizes)).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * integrations.length)
  })

  it.each(['', '{', '}', '{}', '{a}b', 'a}{b', '%'])('keeps integration %j on one node', async (integration) => {
    const request = aRequest({
      integration: `${integration}${integration && crypto.randomUUID()}`,
      eventId: crypto.randomUUID(),
    })
    await store.commit(await claimed(store, { ...request, note: { noteId: crypto.randomUUID() } }))
    expect(await store.forget(request.integration, request.eventId)).toBe('forgotten')
  })

  it('continues after all nodes have flushed their scripts', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claim = await claimed(store, aRequest())
      await onEveryNode((node) => node.script('FLUSH'))
      expect(await store.commit(claim)).toBe('committed')
    }
  })
})

async function onEveryNode<Answer>(ask: (node: Redis) => Promise<Answer>): Promise<Answer[]> {
  const nodes = cluster.ports.map((port) => new Redis(port))
  try {
    return await Promise.all(nodes.map(ask))
  } finally {
    for (const node of nodes) node.disconnect()
  }
}
