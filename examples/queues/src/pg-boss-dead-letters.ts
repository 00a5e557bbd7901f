import { PgBoss } from 'pg-boss'

// Lists the events whose attempts are used up. `node pg-boss-dead-letters.ts replay` gives them all attempts again.
const boss = new PgBoss(process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1/app').on('error', console.error)
await boss.start()
const jobs = await boss.findJobs<{ integration?: string; event?: { event_type: string; event_id: string } }>(
  'notes-failed',
)
for (const { createdOn, data, sourceOutput } of jobs) {
  console.log(
    createdOn.toISOString(),
    data.integration,
    data.event?.event_type,
    data.event?.event_id,
    JSON.stringify(sourceOutput),
  )
}
if (process.argv[2] === 'replay') await boss.redrive('notes-failed', { limit: jobs.length })
await boss.stop()
