import { createServer } from 'node:http'
import { nodeHandler } from '@notewire/webhooks/node'
import { postgresStore } from '@notewire/webhooks/postgres'
import { Pool } from 'pg'
import { receivers } from './exactly-once.ts'
import { createTables } from './tables.ts'

const url = process.env['DATABASE_URL']
if (!url) throw new Error('Set DATABASE_URL to the URL of a PostgreSQL database.')
const pool = new Pool({ connectionString: url, max: 1 })
pool.on('error', console.error)
const store = postgresStore(pool)
await store.migrate()
await createTables(pool)

const open = await receivers[process.env['LIBRARY'] ?? 'pg']?.(url)
if (open === undefined) throw new Error(`LIBRARY must be one of ${Object.keys(receivers)}`)
const { receiver, end } = open
const port = Number(process.env['PORT'] ?? 3000)
const server = createServer(nodeHandler(receiver)).listen(port, () => console.log(`listening on port ${port}`))
// Removes the records of events that are no longer needed.
const pruning = setInterval(() => store.prune().catch(console.error), 3_600_000)

process.once('SIGTERM', async () => {
  server.close()
  clearInterval(pruning)
  await receiver.close()
  await end()
  await pool.end()
})
