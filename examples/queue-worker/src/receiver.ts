import { createReceiver } from '@notewire/webhooks'
import { bullmqQueue } from '@notewire/webhooks/bullmq'
import { redisStore } from '@notewire/webhooks/redis'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { summarise } from './summaries.ts'

export const QUEUE = 'notewire-events'
export const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

export const redis = new Redis(url)

// Without an offline queue, BullMQ fails immediately if Redis cannot be reached.
export const engine = new Queue(QUEUE, { connection: { url, enableOfflineQueue: false } })
engine.on('error', ({ name }) => console.error('the connection of the queue to Redis failed:', name))

export const queue = bullmqQueue(engine)

export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  queue,
  // The queue retries. The store records processed events for all workers.
  store: redisStore(redis),
  on: {
    'note.ended': ({ data }, { signal }) => summarise(redis, data.note_id, signal),
    'note.updated': ({ data }, { signal }) => summarise(redis, data.note_id, signal),
    'note.deleted': ({ data }) => redis.hdel('summaries', data.note_id),
  },
})
