import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import type { Effect } from '../databases/worker-database.ts'
import type { StoreServer } from './store-server.ts'

/** Creates the file that all workers share. */
export async function makeSqlite(engine: 'sqlite' | 'sqlite-transactions' = 'sqlite'): Promise<StoreServer> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-sqlite-'))
  const location = join(folder, 'events.db')
  const store = sqliteStore(location)
  await store.migrate()
  await store.close()
  const database = new DatabaseSync(location, { timeout: 0 })
  database.exec('CREATE TABLE effects (position INTEGER PRIMARY KEY, integration TEXT, event_id TEXT, run TEXT)')
  const read = database.prepare('SELECT integration, event_id AS eventId, run FROM effects ORDER BY position')
  return {
    engine,
    location,
    isLocked: () => isLocked(database),
    readEffects: async () => read.all() as unknown as readonly Effect[],
    async stop() {
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// Longer than a dozen workers write in turn.
const LOCKED_AFTER_MS = 500

async function isLocked(database: DatabaseSync): Promise<boolean> {
  const giveUpAt = Date.now() + LOCKED_AFTER_MS
  do {
    try {
      database.exec('BEGIN IMMEDIATE; ROLLBACK')
      return false
    } catch {
      await sleep(2)
    }
  } while (Date.now() < giveUpAt)
  return true
}
