import { createServer } from 'node:http'
import { createReceiver, jobResult, queuedEvent } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { redisStore } from '@notewire/webhooks/redis'
import { DelayedError, Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { summarise } from './summaries.ts'

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const redis = new Redis(url).on('error', console.error)
const queue = new Queue('notes', {
  // Without the offline queue, a delivery gets 503 at once while Redis is away.
  connection: { url, enableOfflineQueue: false },
  defaultJobOptions: {
    // 15 attempts, with delays that double from a second, take four to five hours.
    attempts: Number(process.env['ATTEMPTS'] ?? 15),
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.2 },
    removeOnComplete: true,
    removeOnFail: { age: 30 * 86_400 },
    stackTraceLimit: 0,
  },
}).on('error', console.error)

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  store: redisStore(redis),
  queue: (event, { integration }) => queue.add(event.event_type, { integration, event }),
  on: { 'note.ended': ({ data }, { signal }) => summarise(data.note_id, signal) },
})

// `node bullmq.ts` receives deliveries, `node bullmq.ts work` processes events. Start any number of both.
const port = Number(process.env['PORT'] ?? 3000)
const server =
  process.argv[2] === 'work'
    ? undefined
    : createServer(nodeHandler(receiver)).listen(port, () => console.log(`listening on port ${port}`))
// A worker that dies loses its lock after 20 s, and its lease in the store at the same time.
const settings = { concurrency: 20, lockDuration: 20_000, stalledInterval: 5_000, maxStalledCount: 10 }
const worker = server
  ? undefined
  : new Worker('notes', work, { ...settings, connection: { url } }).on('error', console.error)
if (worker) console.log('waiting for events')

async function work(job: { data: unknown; moveToDelayed(at: number, token?: string): Promise<void> }, token?: string) {
  const { event, integration } = queuedEvent(job.data)
  const result = jobResult(await receiver.process(event, { integration }))
  if (result.status === 'again') throw result.error
  if (result.status === 'done') return
  await job.moveToDelayed(Date.now() + result.delayMs, token)
  throw new DelayedError()
}

process.once('SIGTERM', async () => {
  server?.close()
  // Both at once: the worker waits for its handlers, and the receiver aborts their signals.
  await Promise.all([worker?.close(), receiver.close()])
  await queue.close()
  redis.disconnect()
})
