import { redisStore } from '@notewire/webhooks/redis'
import { clientMakers } from '../../../packages/webhooks/fixtures/stores/redis/clients.ts'
import type { WorkerDatabase } from './worker-database.ts'

// Clients with a key prefix would not see the keys of the others.
const makers = clientMakers.filter(({ name }) => !name.includes('prefix'))

/** Connects a client. Workers use different drivers. */
export async function openRedis(port: string, worker: number): Promise<WorkerDatabase<never>> {
  const connected = await makers[worker % makers.length]?.connect(Number(port))
  if (connected === undefined) throw new Error('no Redis client is installed')
  return {
    store: redisStore(connected.client),
    async close() {
      connected.close()
    },
  }
}
