import { bullmqWorker } from '@notewire/webhooks/bullmq'
import { Worker } from 'bullmq'
import { engine, QUEUE, receiver, redis, url } from './receiver.ts'

const worker = bullmqWorker(
  receiver,
  (process, settings) => new Worker(QUEUE, process, { ...settings, concurrency: 20, connection: { url } }),
)

process.once('SIGTERM', async () => {
  // What runs may end.
  await worker.close()
  await receiver.close()
  await engine.close()
  redis.disconnect()
})
