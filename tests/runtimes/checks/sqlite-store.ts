import { createReceiver } from '@notewire/webhooks'
import { type SqliteStore, sqliteStore, sqliteTransactions } from '@notewire/webhooks/sqlite'
import type { TransactionStore } from '@notewire/webhooks/store'
import { anEvent, storeChecks } from '@notewire/webhooks/testing'

/** Holds a store in a file against all that stores must do, and processes events in transactions of `node:sqlite`. */
export async function sqliteStoreInAFile({ path }: { readonly path: string }) {
  const store = sqliteStore(path)
  await store.migrate()
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE effects (revision INTEGER)')
  const seen = {
    checks: await runStoreChecks(store),
    exactlyOnce: await processInTransactions(
      sqliteTransactions(database),
      (transaction, revision) => transaction.prepare('INSERT INTO effects VALUES (?)').run(-revision),
      () => database.prepare('SELECT revision FROM effects WHERE revision < 0').all(),
    ),
    whileAnotherWrites: await claimWhileAnotherWrites(store, database),
  }
  database.close()
  await store.close()
  return seen
}

/** Runs what makes a store one, and tells which checks have failed. */
export async function runStoreChecks(store: SqliteStore) {
  const failed: string[] = []
  for (const { name, run } of storeChecks) {
    await run(store).catch((error) => failed.push(`${name}: ${error.message}`))
  }
  return { passed: storeChecks.length - failed.length, failed }
}

/** Has the receiver process events in transactions: one that is sent again, one that fails once, and one of which the handler is asynchronous. */
export async function processInTransactions<Transaction>(
  store: TransactionStore<Transaction>,
  write: (transaction: Transaction, revision: number) => unknown,
  effects: () => object[],
) {
  const outcomes: string[] = []
  let failures = 1
  const receiver = createReceiver({
    secret: () => undefined,
    store,
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    prepare: async () => 'fetched',
    on: {
      'note.updated': ({ data: { note_id, revision } }, { prepared, transaction }) => {
        if (prepared === 'fetched') write(transaction, revision)
        if (revision === 2 && failures-- > 0) throw new Error('rolled back')
        return note_id === 'note_3' ? Promise.resolve() : undefined
      },
    },
  })
  for (const revision of [1, 2, 3]) {
    const event = anEvent({ kind: 'note.updated', noteId: revision === 3 ? 'note_3' : 'note_2', revision })
    for (let time = 0; time < 2; time += 1) outcomes.push((await receiver.process(event)).status)
  }
  await receiver.close()
  return { outcomes, effects: effects().map((row) => Object.values(row)) }
}

// Each runtime has its own words for a database that is locked.
async function claimWhileAnotherWrites(store: SqliteStore, database: { exec(sql: string): void }) {
  database.exec('BEGIN IMMEDIATE')
  const claiming = store.claim({
    integration: 's',
    eventId: 'evt_1',
    gate: 'strict',
    leaseMs: 20_000,
    keepMs: 97_200_000,
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  database.exec('COMMIT')
  return (await claiming).status
}
