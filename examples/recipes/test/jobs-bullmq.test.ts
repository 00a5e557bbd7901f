import { it } from 'node:test'
import { startRedis } from 'notewire-test-servers'
import { startJobs } from '../src/jobs-bullmq.ts'
import { expectJobsToKeepUp } from './jobs.ts'

it('keeps mirrors up to date with jobs of BullMQ', async () => {
  const redis = await startRedis()
  await expectJobsToKeepUp(async (mirrors) => {
    const { queue, worker, look } = await startJobs({ url: redis.url }, mirrors)
    return {
      look,
      sweep: () => queue.add('sweep', {}),
      async [Symbol.asyncDispose]() {
        await worker.close()
        await queue.close()
      },
    }
  })
  await redis.stop()
})
