import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { NotesClient } from '@notewire/client'
import { type ApplyChanges, createMirror } from '@notewire/mirror'
import { createNotesService } from '@notewire/mock-server'
import { createReceiver, type Receiver } from '@notewire/webhooks'
import { type PostgresConnection, type PostgresTransaction, postgresStore } from '@notewire/webhooks/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, sql as kyselySql, PostgresDialect } from 'kysely'
import { type Postgres, startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { applyWithDrizzle } from '../src/consumer-with-drizzle.ts'
import { applyWithKysely } from '../src/consumer-with-kysely.ts'
import { applyWithPrisma } from '../src/consumer-with-prisma.ts'
import { PrismaClient } from '../src/generated/client.ts'
import { createTables } from '../src/tables.ts'
import { connectionOf as ofDrizzle, receiverWithDrizzle } from '../src/with-drizzle.ts'
import { connectionOf as ofKysely, receiverWithKysely } from '../src/with-kysely.ts'
import { connectionOf as ofPrisma, receiverWithPrisma } from '../src/with-prisma.ts'
import { onVirtualClock } from './on-virtual-clock.ts'

const INSERT = "INSERT INTO deletions (note_id) VALUES ('note_1')"

let server: Postgres
let pool: Pool

before(async () => {
  server = await startPostgres()
  pool = new Pool({ connectionString: server.url })
  // The server may stop before the last connection is closed.
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  await postgresStore(pool).migrate()
  await createTables(pool)
})
beforeEach(() => pool.query('TRUNCATE deletions, outbox, notewire_events, notewire_notes'))
after(async () => {
  await pool.end()
  await server.stop()
})

/** What a library opens transactions with, as the store must not take it, and its transaction in a savepoint. */
interface Library {
  readonly outer: () => PostgresConnection
  readonly inSavepoint: (work: (transaction: PostgresConnection) => Promise<void>) => Promise<void>
  readonly receiverWith: (pool: Pool) => Receiver
  readonly applyWith: (pool: Pool) => ApplyChanges<PostgresTransaction>
}

const libraries: Readonly<Record<string, Library>> = {
  drizzle: {
    // @ts-expect-error a database is no transaction
    outer: () => ofDrizzle(drizzle({ client: pool })),
    inSavepoint: (work) =>
      drizzle({ client: pool }).transaction(async (transaction) => {
        await transaction.execute(sql.raw(INSERT))
        await transaction.transaction((nested) => work(ofDrizzle(nested)))
      }),
    receiverWith: receiverWithDrizzle,
    applyWith: applyWithDrizzle,
  },
  kysely: {
    // @ts-expect-error a database is no transaction
    outer: () => ofKysely(new Kysely<never>({ dialect: new PostgresDialect({ pool }) })),
    inSavepoint: async (work) => {
      const database = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
      const transaction = await database.startTransaction().execute()
      await kyselySql.raw(INSERT).execute(transaction)
      const nested = await transaction.savepoint('mine').execute()
      await work(ofKysely(nested))
      await nested.releaseSavepoint('mine').execute()
      await transaction.commit().execute()
    },
    receiverWith: receiverWithKysely,
    applyWith: applyWithKysely,
  },
  prisma: {
    // @ts-expect-error a client is no transaction
    outer: () => ofPrisma(new PrismaClient({ adapter: new PrismaPg(pool) })),
    inSavepoint: (work) =>
      new PrismaClient({ adapter: new PrismaPg(pool) }).$transaction(async (transaction) => {
        await transaction.$executeRawUnsafe(INSERT)
        await transaction.$executeRawUnsafe('SAVEPOINT mine')
        await work(ofPrisma(transaction))
        await transaction.$executeRawUnsafe('RELEASE mine')
      }),
    receiverWith: receiverWithPrisma,
    applyWith: applyWithPrisma,
  },
}

for (const [name, { outer, inSavepoint, receiverWith, applyWith }] of Object.entries(libraries)) {
  describe(`commit with the outer object of ${name}`, () => {
    it('is refused in a handler, and the retry writes the row', async () => {
      const event = anEvent({ kind: 'note.deleted' })
      const outcome = await receiverOf((commit) => commit(outer())).process(event)
      assert.ok(outcome.status === 'failed' && isNotOpen(outcome.error))
      assert.equal((await receiverWith(pool).process(event)).status, 'applied')
      assert.equal(await count('deletions'), 1)
    })

    it('is refused in a consumer, and the next attempt writes the rows', async () => {
      await using service = await createNotesService({ notes: 3 })
      const { baseUrl, apiKey, fetch, clock } = service
      const problems: unknown[] = []
      const mirror = createMirror({
        client: new NotesClient({ baseUrl, apiKey, fetch }),
        store: onVirtualClock(pool),
        clock,
        hooks: { onProblem: ({ error }) => problems.push(error) },
      })
      await mirror.sync()
      const apply: ApplyChanges<PostgresTransaction> = (_changes, { commit }) => commit(outer())
      assert.equal((await mirror.consumeDue({ name, apply })).failed, 3)
      assert.ok(problems.every(isNotOpen))
      await clock.advance('1h')
      assert.equal((await mirror.consumeDue({ name, apply: applyWith(pool) })).applied, 3)
      assert.equal(await count('outbox'), 3)
    })
  })

  it(`a transaction of ${name} in a savepoint commits the event with its row`, async () => {
    const event = anEvent({ kind: 'note.deleted' })
    const receiver = receiverOf((commit) => inSavepoint(commit))
    assert.equal((await receiver.process(event)).status, 'applied')
    assert.equal((await receiver.process(event)).status, 'duplicate')
    assert.equal(await count('deletions'), 1)
  })
}

function receiverOf(handle: (commit: (transaction: PostgresConnection) => Promise<void>) => Promise<void>): Receiver {
  return createReceiver({
    secret: () => undefined,
    store: postgresStore(pool),
    logger: { info() {}, warn() {}, error() {} },
    on: { 'note.deleted': (_event, { commit }) => handle(commit) },
  })
}

function isNotOpen(error: unknown): boolean {
  return error instanceof Error && 'option' in error && error.option === 'transaction'
}

async function count(rows: string): Promise<number> {
  return (await pool.query(`SELECT count(*)::int FROM ${rows}`)).rows[0].count
}
