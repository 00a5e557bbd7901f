import { createServer } from 'node:http'
import { nodeHandler } from '@notewire/webhooks/node'
import { postgresStore } from '@notewire/webhooks/postgres'
import { Pool } from 'pg'
import { createTables } from './tables.ts'
import { receiverWithPg } from './with-pg.ts'

const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
// Without these listeners, a connection that breaks would end the process: an idle one, or one in a transaction, whose query also rejects.
pool.on('error', console.error)
pool.on('connect', (client) => client.on('error', () => undefined))
const store = postgresStore(pool)
await store.migrate()
await createTables(pool)

// receiverWithDrizzle and receiverWithKysely work in the same way.
const receiver = receiverWithPg(pool)
const server = createServer(nodeHandler(receiver)).listen(Number(process.env['PORT'] ?? 3000))
// Removes the records of events that are no longer needed.
const pruning = setInterval(() => store.prune().catch(console.error), 3_600_000)

process.once('SIGTERM', async () => {
  server.close()
  clearInterval(pruning)
  await receiver.close()
  await pool.end()
})
