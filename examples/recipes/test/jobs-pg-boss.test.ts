import { it } from 'node:test'
import { PgBoss } from 'pg-boss'
import { startJobs } from '../src/jobs-pg-boss.ts'
import { expectJobsToKeepUp } from './jobs.ts'

it('keeps mirrors up to date with jobs of pg-boss', async () => {
  await expectJobsToKeepUp(async (mirrors, { options }) => {
    const boss = new PgBoss({ connectionString: options.connectionString ?? '', max: 4 })
    boss.on('error', console.error)
    await boss.start()
    return {
      look: await startJobs(boss, mirrors),
      sweep: () => boss.send('sweep', {}),
      [Symbol.asyncDispose]: () => boss.stop({ graceful: true, timeout: 10_000 }),
    }
  })
})
