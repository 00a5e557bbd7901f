import type { Mirrors } from '@notewire/mirror'
import { type ConnectionOptions, Queue, Worker } from 'bullmq'

/** Keeps mirrors up to date by jobs of BullMQ. Call `look` after each hint: it brings the job forward. */
export async function startJobs(connection: ConnectionOptions, mirrors: Mirrors) {
  const retries = { attempts: 5, backoff: { type: 'exponential', delay: 1_000 } }
  const defaultJobOptions = { ...retries, removeOnComplete: true, removeOnFail: true }
  const queue = new Queue('notes', { connection, defaultJobOptions })
  const worker = new Worker(
    'notes',
    ({ data: { integration } }) => mirrors.work({ integration, budgetMs: integration === undefined ? 30_000 : 5_000 }),
    { connection, concurrency: 4 },
  )
  queue.on('error', console.error)
  worker.on('error', console.error)
  const lookAgain = async (integration: string) => {
    const dueAt = (await mirrors.get(integration))?.dueAt?.getTime()
    if (dueAt === undefined) return
    // A job that waits stays as it is: a hint may have come by now.
    const options = { delay: Math.max(0, dueAt - Date.now()), deduplication: { id: integration } }
    await queue.add('look', { integration }, options)
  }
  worker.on('completed', ({ data: { integration } }) => {
    if (integration) lookAgain(integration).catch(console.error)
  })
  // A sweep does what no job did, because a process died between a commit and its job.
  await queue.upsertJobScheduler('sweep', { every: 5 * 60_000 }, { name: 'sweep', data: {} })
  return {
    queue,
    worker,
    look: (integration: string) => {
      const deduplication = { id: integration, replace: true, keepLastIfActive: true }
      return queue.add('look', { integration }, { deduplication })
    },
  }
}
