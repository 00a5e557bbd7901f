import type { Mirrors } from '@notewire/mirror'
import { run } from 'graphile-worker'
import type { Pool } from 'pg'

/** Keeps mirrors up to date with jobs of graphile-worker. Call `look` after each hint: it makes the job of the integration run now. */
export async function startJobs(pgPool: Pool, mirrors: Mirrors) {
  // The queue of an integration runs one job at a time.
  const keyed = (integration: string) => ({ jobKey: integration, queueName: integration })
  const runner = await run({
    pgPool,
    noHandleSignals: true,
    concurrency: 4,
    // If a process dies between a commit and adding its job, the sweep does the work.
    crontab: '*/5 * * * * sweep',
    taskList: {
      async look(payload, { addJob }) {
        const { integration } = payload as { integration: string }
        await mirrors.work({ integration, budgetMs: 5_000 })
        const runAt = (await mirrors.get(integration))?.dueAt
        // A waiting job keeps its time, because a hint may have added it.
        if (runAt) await addJob('look', payload, { ...keyed(integration), jobKeyMode: 'preserve_run_at', runAt })
      },
      sweep: async () => void (await mirrors.work({ budgetMs: 30_000 })),
    },
  })
  const look = (integration: string) =>
    runner.addJob('look', { integration }, { ...keyed(integration), runAt: new Date() })
  return { runner, look }
}
