import type { Mirrors } from '@notewire/mirror'
import type { PgBoss } from 'pg-boss'

/** Keeps mirrors up to date by jobs of pg-boss. Call the function that it returns after each hint: it brings the job forward. */
export async function startJobs(boss: PgBoss, mirrors: Mirrors): Promise<(integration: string) => Promise<unknown>> {
  const keyed = (integration: string, at: Date) => ({ singletonKey: integration, startAfter: at })
  // At most one job of an integration waits, and one runs.
  await boss.createQueue('look', { policy: 'stately', retryLimit: 5, retryBackoff: true })
  await boss.work<{ integration: string }>('look', async ([job]) => {
    if (job === undefined) return
    const { integration } = job.data
    await mirrors.work({ integration, budgetMs: 5_000 })
    const dueAt = (await mirrors.get(integration))?.dueAt
    // `send` leaves a job that waits as it is: a hint may have come by now.
    if (dueAt) await boss.send('look', job.data, keyed(integration, dueAt))
  })
  // A sweep does what no job did, because a process died between a commit and its job.
  await boss.createQueue('sweep', { policy: 'short' })
  await boss.work('sweep', () => mirrors.work({ budgetMs: 30_000 }))
  await boss.schedule('sweep', '*/5 * * * *')
  return (integration) => boss.upsert('look', { integration }, keyed(integration, new Date()))
}
