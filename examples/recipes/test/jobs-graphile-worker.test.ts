import { it } from 'node:test'
import { startJobs } from '../src/jobs-graphile-worker.ts'
import { expectJobsToKeepUp } from './jobs.ts'

it('keeps mirrors up to date with jobs of graphile-worker', async () => {
  await expectJobsToKeepUp(async (mirrors, pool) => {
    const { runner, look } = await startJobs(pool, mirrors)
    return { look, sweep: () => runner.addJob('sweep', {}), [Symbol.asyncDispose]: () => runner.stop() }
  })
})
