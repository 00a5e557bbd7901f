import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NotesClient } from '@notewire/client'
import { type ApplyChanges, createMirror } from '@notewire/mirror'
import { type PostgresTransaction, postgresMirror } from '@notewire/mirror/postgres'
import { createNotesService } from '@notewire/mock-server'
import type { PostgresConnection } from '@notewire/webhooks/postgres'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import { ofDrizzle, ofKysely, ofPrisma } from '../src/connections.ts'
import { applyWithDrizzle } from '../src/consumer-with-drizzle.ts'
import { applyWithKysely } from '../src/consumer-with-kysely.ts'
import { applyWithPrisma } from '../src/consumer-with-prisma.ts'
import { PrismaClient } from '../src/generated/client.ts'
import { useTestDatabase } from './test-database.ts'

const database = useTestDatabase()

/** What a library opens transactions with, as the store must not take it. */
interface Library {
  readonly outer: () => PostgresConnection
  readonly applyWith: (pool: Pool) => ApplyChanges<PostgresTransaction>
}

const libraries: Readonly<Record<string, Library>> = {
  drizzle: {
    // @ts-expect-error a database is no transaction
    outer: () => ofDrizzle(drizzle({ client: database.pool })),
    applyWith: applyWithDrizzle,
  },
  kysely: {
    // @ts-expect-error a database is no transaction
    outer: () => ofKysely(new Kysely<never>({ dialect: new PostgresDialect({ pool: database.pool }) })),
    applyWith: applyWithKysely,
  },
  prisma: {
    // @ts-expect-error a client is no transaction
    outer: () => ofPrisma(new PrismaClient({ adapter: new PrismaPg(database.pool) })),
    applyWith: applyWithPrisma,
  },
}

for (const [name, { outer, applyWith }] of Object.entries(libraries)) {
  describe(`commit with the outer object of ${name}`, () => {
    it('is refused in a consumer, and the next attempt writes the rows', async () => {
      await using service = await createNotesService({ notes: 3 })
      const { baseUrl, apiKey, fetch, clock } = service
      const problems: unknown[] = []
      const mirror = createMirror({
        client: new NotesClient({ baseUrl, apiKey, fetch }),
        store: { ...postgresMirror(database.pool), clock },
        integration: name,
        hooks: { onProblem: ({ error }) => problems.push(error) },
      })
      await mirror.sync()
      const apply: ApplyChanges<PostgresTransaction> = (_changes, { commit }) => commit(outer())
      assert.equal((await mirror.consumeDue({ name, apply })).failed, 3)
      assert.ok(problems.every(isNotOpen))
      await clock.advance('1h')
      assert.equal((await mirror.consumeDue({ name, apply: applyWith(database.pool) })).applied, 3)
      assert.equal(await count('outbox'), 3)
    })
  })
}

function isNotOpen(error: unknown): boolean {
  return error instanceof Error && 'option' in error && error.option === 'transaction'
}

async function count(rows: string): Promise<number> {
  return (await database.pool.query(`SELECT count(*)::int FROM ${rows}`)).rows[0].count
}
