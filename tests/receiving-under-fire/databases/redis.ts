import { redisStore } from '@notewire/webhooks/redis'
import { clientMakers } from '../../../packages/webhooks/src/stores/redis/fixtures/clients.ts'
import type { WorkerDatabase } from './worker-database.ts'

// Those with a prefix of their own would live in another world.
const makers = clientMakers.filter(({ name }) => !name.includes('prefix'))

/** Connects a client, of another driver from worker to worker. */
export async function openRedis(port: string, worker: number): Promise<WorkerDatabase<never>> {
  const connected = await makers[worker % makers.length]?.connect(Number(port))
  if (connected === undefined) throw new Error('there is no client of Redis')
  return {
    store: redisStore(connected.client),
    async close() {
      connected.close()
    },
  }
}
