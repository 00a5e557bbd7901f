import { engine, queue, redis } from './receiver.ts'

const letters = await queue.listDeadLetters()
for (const { event, failedAt, reason } of letters) {
  console.log(failedAt.toISOString(), event.event_type, event.event_id, reason)
}
console.log(await queue.replayDeadLetters(letters), 'queued again')

await engine.close()
redis.disconnect()
