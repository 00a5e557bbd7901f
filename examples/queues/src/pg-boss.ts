import { createServer } from 'node:http'
import { createReceiver, jobResult, queuedEvent, storable } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { postgresStore } from '@notewire/webhooks/postgres'
import { Pool } from 'pg'
import { type JobWithMetadata, PgBoss } from 'pg-boss'
import { summarise } from './summaries.ts'

const connectionString = process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1/app'
const pool = new Pool({ connectionString }).on('error', console.error)
const store = postgresStore(pool)
await store.migrate()
const boss = new PgBoss({ connectionString, superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 }).on(
  'error',
  console.error,
)
await boss.start()
await boss.createQueue('notes-failed', { retentionSeconds: 30 * 86_400 })
await boss.createQueue('notes', {
  deadLetter: 'notes-failed',
  // 15 retries, with delays that double from a second to an hour, take four to five hours.
  retryLimit: Number(process.env['ATTEMPTS'] ?? 16) - 1,
  retryDelay: 1,
  retryDelayMax: 3_600,
  retryBackoff: true,
  // A worker that dies is noticed after 20 s. Without this, a job has 15 min, as `handlerTimeoutMs`.
  heartbeatSeconds: 20,
  expireInSeconds: 1_000,
  retentionSeconds: 30 * 86_400,
})

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  store,
  queue: async (event, { integration }) => {
    const id = await boss.send('notes', { integration, event: storable(event) })
    if (id === null) throw new Error('pg-boss stored no job. Was the queue deleted?')
  },
  on: { 'note.ended': ({ data }, { signal }) => summarise(data.note_id, signal) },
})

// `node pg-boss.ts` receives deliveries, `node pg-boss.ts work` processes events. Start any number of both.
const port = Number(process.env['PORT'] ?? 3000)
const server =
  process.argv[2] === 'work'
    ? undefined
    : createServer(nodeHandler(receiver)).listen(port, () => console.log(`listening on port ${port}`))
if (!server) {
  await boss.work('notes', { includeMetadata: true, localConcurrency: 20, pollingIntervalSeconds: 1 }, work)
  console.log('waiting for events')
}

async function work([job]: JobWithMetadata<object>[]) {
  if (job === undefined) return
  const { event, integration } = queuedEvent(job.data)
  const result = jobResult(await receiver.process(event, { integration }))
  if (result.status === 'again') throw result.error
  if (result.status === 'done') return
  const retryLimit = job.retryLimit - job.retryCount
  await boss.send('notes', job.data, { startAfter: Math.ceil(result.delayMs / 1_000), retryLimit })
}

process.once('SIGTERM', async () => {
  server?.close()
  // Both at once: pg-boss waits for its handlers, and the receiver aborts their signals.
  await Promise.all([boss.stop(), receiver.close()])
  await pool.end()
})
