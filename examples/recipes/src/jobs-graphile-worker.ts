import type { Mirrors } from '@notewire/mirror'
import { run } from 'graphile-worker'
import type { Pool } from 'pg'

/** Keeps mirrors up to date by jobs of graphile-worker. Call `look` after each hint: it brings the job forward. */
export async function startJobs(pgPool: Pool, mirrors: Mirrors) {
  // The queue of an integration runs one job at a time.
  const keyed = (integration: string) => ({ jobKey: integration, queueName: integration })
  const runner = await run({
    pgPool,
    noHandleSignals: true,
    concurrency: 4,
    // A sweep does what no job did, because a process died between a commit and its job.
    crontab: '*/5 * * * * sweep',
    taskList: {
      async look(payload, { addJob }) {
        const { integration } = payload as { integration: string }
        await mirrors.work({ integration, budgetMs: 5_000 })
        const runAt = (await mirrors.get(integration))?.dueAt
        // A job that waits keeps its time: a hint may have come by now.
        if (runAt) await addJob('look', payload, { ...keyed(integration), jobKeyMode: 'preserve_run_at', runAt })
      },
      sweep: async () => void (await mirrors.work({ budgetMs: 30_000 })),
    },
  })
  const look = (integration: string) =>
    runner.addJob('look', { integration }, { ...keyed(integration), runAt: new Date() })
  return { runner, look }
}
