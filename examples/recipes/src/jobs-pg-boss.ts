import type { Mirrors } from '@notewire/mirror'
import type { PgBoss } from 'pg-boss'

/** Keeps mirrors up to date with jobs of pg-boss. @returns a function to call after each hint: it makes the job run now */
export async function startJobs(boss: PgBoss, mirrors: Mirrors): Promise<(integration: string) => Promise<unknown>> {
  const keyed = (integration: string, at: Date) => ({ singletonKey: integration, startAfter: at })
  // At most one job of an integration waits, and one runs.
  await boss.createQueue('look', { policy: 'stately', retryLimit: 5, retryBackoff: true })
  await boss.work<{ integration: string }>('look', async ([job]) => {
    if (job === undefined) return
    const { integration } = job.data
    await mirrors.work({ integration, budgetMs: 5_000 })
    const dueAt = (await mirrors.get(integration))?.dueAt
    // `send` does not change a waiting job, because a hint may have added it.
    if (dueAt) await boss.send('look', job.data, keyed(integration, dueAt))
  })
  // If a process dies between a commit and adding its job, the sweep does the work.
  await boss.createQueue('sweep', { policy: 'short' })
  await boss.work('sweep', () => mirrors.work({ budgetMs: 30_000 }))
  await boss.schedule('sweep', '*/5 * * * *')
  return (integration) => boss.upsert('look', { integration }, keyed(integration, new Date()))
}
