import { Queue } from 'bullmq'
import { startRedis } from 'notewire-test-servers'
import { expect, it } from 'vitest'
import { anEvent } from '../../testing/an-event.ts'
import { bullmqQueue } from './bullmq-queue.ts'

it.each([
  ['an object that is not a queue', {}, {}, /queue must be a Queue of BullMQ/],
  ['an unknown option', { add: () => undefined }, { attemps: 3 }, /no option "attemps"/],
  ['zero attempts', { add: () => undefined }, { attempts: 0 }, /attempts must be a whole number, 1 or more/],
])('refuses %s', (_, queue, options, why) => {
  expect(() => bullmqQueue(queue as never, options as never)).toThrow(why)
})

it('rejects at once while Redis is unreachable, with enableOfflineQueue: false', async () => {
  const redis = await startRedis()
  const engine = new Queue('events', { connection: { url: redis.url, enableOfflineQueue: false } })
  engine.on('error', () => undefined)
  const queue = bullmqQueue(engine)
  await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
  await redis.stop()
  // Without the option, the command would wait until Redis is back.
  await expect(queue.enqueue('default', anEvent({ kind: 'note.updated' }))).rejects.toThrow(/enableOfflineQueue/)
  // `disconnect` never resolves while Redis is unreachable.
  engine.disconnect().catch(() => undefined)
})
