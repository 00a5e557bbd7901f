import type { Mirrors } from '@notewire/mirror'
import { type ConnectionOptions, Queue, Worker } from 'bullmq'

/** Keeps mirrors up to date with jobs of BullMQ. Call `look` after each hint: it makes the job of the integration run now. */
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
  const scheduleNext = async (integration: string) => {
    const dueAt = (await mirrors.get(integration))?.dueAt?.getTime()
    if (dueAt === undefined) return
    // This does not change a waiting job, because a hint may have added it.
    const options = { delay: Math.max(0, dueAt - Date.now()), deduplication: { id: integration } }
    await queue.add('look', { integration }, options)
  }
  worker.on('completed', ({ data: { integration } }) => {
    if (integration) scheduleNext(integration).catch(console.error)
  })
  // If a process dies between a commit and adding its job, the sweep does the work.
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
