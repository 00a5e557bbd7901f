import { setTimeout as sleep } from 'node:timers/promises'
import { postgresCodeOf } from '@notewire/storage'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aLiveState, aNote } from '../../../fixtures/store-checks/builders.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import { NEW_CONSUMER } from '../../consumers/consumer-store.ts'
import type { MirrorStore } from '../../index.ts'
import { type PostgresMirror, postgresMirror } from './index.ts'
import { MIRROR_TABLES } from './migration.ts'

const WORKERS = 8
const UPGRADES = 25

let databases: TestDatabases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.cleanUp.disposeAsync())

/** A later version of the store: it has functions with other names, the same tables, and in some versions two more indexes. */
function laterVersion(pool: Pool, version: number): MirrorStore {
  const indexes = version % 6 === 0 ? ['notewire_mirror_notes_held', 'notewire_mirror_consumer_notes_due'] : []
  const functions = new RegExp(`\\b(${[...MIRROR_TABLES.functions, ...indexes].join('|')})\\b`, 'g')
  const rename = (text: string) => text.replaceAll(functions, `$1_${version}`)
  return postgresMirror({ query: (text, values) => pool.query(rename(text), values) })
}

it('an upgrade beside working processes fails neither, with rows and transactions of users in the same database', async () => {
  const url = await databases.emptyDatabase()
  const [pool, upgrading] = [databases.poolOf(url, { max: WORKERS + 2 }), databases.poolOf(url)]
  await postgresMirror(pool).migrate()
  const failures: unknown[] = []
  let isOver = false

  async function work(worker: number): Promise<void> {
    const store = postgresMirror(pool)
    for (let round = 0; !isOver; round += 1) {
      const integration = `customer-${(worker + round) % 3}`
      const noteIds = Array.from({ length: 5 }, (_, index) => `note_${(worker * 3 + index + round) % 20}`)
      const { notes } = await store.load(integration, noteIds)
      await store.commit(integration, {
        notes: noteIds.map((noteId) => ({
          state: aLiveState(noteId, { dueAt: 1, settledRevision: null }),
          expectedVersion: notes.get(noteId)?.version ?? 0,
          content: { note: aNote(noteId, { title: `round ${round}` }) },
          announce: 'changed',
        })),
        heardAt: round + 1,
      })
      await store.readDue(integration, { dueBy: Date.now(), limit: 3 })
      await inTransaction(store, integration, worker)
    }
  }

  /** A transaction of a user, which records what a consumer has applied and reads what the mirror shows. */
  async function inTransaction(store: PostgresMirror, integration: string, worker: number): Promise<void> {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const [consumer] = await store.listConsumers(integration, { name: `consumer ${worker}` })
      await store.commitConsumer(
        integration,
        `consumer ${worker}`,
        {
          expectedVersion: consumer?.version ?? 0,
          token: 1,
          state: consumer?.state ?? NEW_CONSUMER,
          notes: new Map(),
          forgetsApplied: false,
        },
        client,
      )
      await client.query('SELECT count(title) FROM notewire_live_notes')
      await client.query('COMMIT')
    } finally {
      client.release()
    }
  }

  const working = Array.from({ length: WORKERS }, (_, worker) =>
    work(worker).catch((error: unknown) => void failures.push(error)),
  )
  for (let version = 2; version < UPGRADES; version += 1) {
    await laterVersion(upgrading, version)
      .migrate()
      .catch((error: unknown) => void failures.push(error))
    await sleep(20)
  }
  isOver = true
  await Promise.all(working)
  expect(failures.map((error) => [postgresCodeOf(error), String(error)])).toEqual([])
})
