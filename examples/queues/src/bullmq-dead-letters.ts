import { Queue } from 'bullmq'

// Lists the events whose attempts are used up. `node bullmq-dead-letters.ts replay` gives them all attempts again.
const queue = new Queue('notes', { connection: { url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379' } })
for (const job of await queue.getFailed(0, 99)) {
  const { integration, event } = job.data
  console.log(
    new Date(job.finishedOn ?? 0).toISOString(),
    integration,
    event?.event_type,
    event?.event_id,
    job.failedReason,
  )
  if (process.argv[2] === 'replay') await job.retry('failed', { resetAttemptsMade: true })
}
await queue.close()
