import { Queue } from 'bullmq'
import { startRedis } from 'notewire-test-servers'
import { expect, it } from 'vitest'
import { anEvent } from '../../testing/an-event.ts'
import { bullmqQueue } from './bullmq-queue.ts'

it.each([
  ['what is no queue', {}, {}, /queue must be a Queue of BullMQ/],
  ['an option that is none', { add: () => undefined }, { attemps: 3 }, /no option "attemps"/],
  ['no attempts', { add: () => undefined }, { attempts: 0 }, /attempts must be a whole number, 1 or more/],
])('refuses %s', (_, queue, options, why) => {
  expect(() => bullmqQueue(queue as never, options as never)).toThrow(why)
})

it('tells that Redis is away without waiting for it, when the connection keeps no commands for later', async () => {
  const redis = await startRedis()
  const engine = new Queue('events', { connection: { url: redis.url, enableOfflineQueue: false } })
  engine.on('error', () => undefined)
  const queue = bullmqQueue(engine)
  await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
  await redis.stop()
  // Without that option the command would wait for Redis, which does not come back.
  await expect(queue.enqueue('default', anEvent({ kind: 'note.updated' }))).rejects.toThrow(/enableOfflineQueue/)
  // Its end is never told while Redis is away.
  engine.disconnect().catch(() => undefined)
})
