import { createReceiver } from '@notewire/webhooks'
import { bullmqQueue } from '@notewire/webhooks/bullmq'
import { redisStore } from '@notewire/webhooks/redis'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { summarise } from './summaries.ts'

export const QUEUE = 'notewire-events'
export const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'

export const redis = new Redis(url)

// Without a list of commands to send later, a Redis that is away is noticed at once.
export const engine = new Queue(QUEUE, { connection: { url, enableOfflineQueue: false } })
engine.on('error', ({ name }) => console.error('the queue has trouble with Redis:', name))

export const queue = bullmqQueue(engine)

export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  queue,
  // The queue retries; the store remembers what was processed, for all workers.
  store: redisStore(redis),
  on: {
    'note.ended': ({ data }, { signal }) => summarise(redis, data.note_id, signal),
    'note.updated': ({ data }, { signal }) => summarise(redis, data.note_id, signal),
    'note.deleted': ({ data }) => redis.hdel('summaries', data.note_id),
  },
})
