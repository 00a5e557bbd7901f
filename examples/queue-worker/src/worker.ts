import { bullmqWorker } from '@notewire/webhooks/bullmq'
import { Worker } from 'bullmq'
import { engine, QUEUE, receiver, redis, url } from './receiver.ts'

const worker = bullmqWorker(
  receiver,
  (process, settings) => new Worker(QUEUE, process, { ...settings, concurrency: 20, connection: { url } }),
)

process.once('SIGTERM', async () => {
  // Both are closed at the same time: the worker waits for its handlers, and the receiver fires their signals.
  await Promise.all([worker.close(), receiver.close()])
  await engine.close()
  redis.disconnect()
})
