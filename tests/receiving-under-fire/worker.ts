// One instance of the application. `fleet.ts` starts it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import { type NoteEvent, systemClock } from '@notewire/protocol'
import { createReceiver, type ProcessOutcome, type Receiver, type TransactionContext } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { Random } from '../simulation/random.ts'
import { Application } from './application.ts'
import { openChronicle } from './chronicle.ts'
import type { WorkerDatabase } from './databases/worker-database.ts'
import { INTEGRATIONS, type Integration, isInTransactions, secretVariable } from './integrations.ts'
import type { WorkerReport, WorkerSettings } from './worker-settings.ts'

const settings: WorkerSettings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '')
const { chronicle, number, location, seed, skewMs } = settings
const tools = { worker: `worker ${number}`, random: new Random(seed, number), write: openChronicle(chronicle), report }
const clock = { ...systemClock, now: () => Date.now() + skewMs }
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

switch (settings.engine) {
  case 'sqlite': {
    const { openSqlite } = await import('./databases/sqlite.ts')
    await serve(openSqlite(location, false))
    break
  }
  case 'sqlite-transactions': {
    const { openSqlite } = await import('./databases/sqlite.ts')
    await serve(openSqlite(location, true))
    break
  }
  case 'postgres': {
    const { openPostgres } = await import('./databases/postgres.ts')
    await serve(openPostgres(location, false))
    break
  }
  case 'postgres-transactions': {
    const { openPostgres } = await import('./databases/postgres.ts')
    await serve(openPostgres(location, true))
    break
  }
  case 'redis': {
    const { openRedis } = await import('./databases/redis.ts')
    await serve(await openRedis(location, number))
    break
  }
}

async function serve<Transaction>(database: WorkerDatabase<Transaction>): Promise<void> {
  const receivers = INTEGRATIONS.map((integration) => receiverOf(integration, database))
  const mounted = new Map(receivers.map((receiver) => [`/${receiver.integration}`, nodeHandler(receiver)]))
  const server = createServer((request, response) => mounted.get(request.url ?? '')?.(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  process.on('SIGTERM', () => void close(receivers, database))
  // The test process has ended.
  process.on('disconnect', () => process.exit())
  // The other workers use the compile cache. They start when this worker listens.
  if (number === 0) flushCompileCache()
  report({ what: 'listens', port: address.port })
}

async function close(receivers: readonly Receiver[], database: { close(): Promise<void> }): Promise<void> {
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await database.close()
  process.exit()
}

function receiverOf<Transaction>(integration: Integration, database: WorkerDatabase<Transaction>): Receiver {
  const application = new Application(integration, tools)
  const options = {
    secret: () => process.env[secretVariable(integration)],
    integration,
    path: `/${integration}`,
    hooks: { onOutcome: (outcome: ProcessOutcome) => application.logOutcome(outcome) },
    // The clock is wrong by up to ten minutes. This test is about leases, not about the signature's timestamp.
    toleranceSeconds: 900,
    clock,
    logger: silent,
  }
  const { transactions } = database
  if (transactions !== undefined && isInTransactions(integration, number)) {
    const handle = (event: NoteEvent, { transaction }: TransactionContext<Transaction>) =>
      application.handleInTransaction(event, (effect) => transactions.write(transaction, effect))
    return createReceiver({
      ...options,
      store: transactions.store,
      prepare: (event) => application.prepare(event),
      on: { 'note.ended': handle, 'note.updated': handle, 'note.deleted': handle },
    })
  }
  const handle = (event: NoteEvent) => application.handle(event)
  return createReceiver({
    ...options,
    store: database.store,
    on: { 'note.ended': handle, 'note.updated': handle, 'note.deleted': handle },
  })
}

function report(message: WorkerReport): void {
  process.send?.(message)
}
