import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { createNotesService } from '@notewire/mock-server'
import { applyWithDrizzle } from '../src/consumer-with-drizzle.ts'
import { applyWithKysely } from '../src/consumer-with-kysely.ts'
import { applyWithPrisma } from '../src/consumer-with-prisma.ts'
import { useTestDatabase } from './test-database.ts'

const database = useTestDatabase()

describe('a consumer writes every change once if it commits its position with', () => {
  for (const [name, applyWith] of Object.entries({
    drizzle: applyWithDrizzle,
    kysely: applyWithKysely,
    prisma: applyWithPrisma,
  })) {
    it(name, async () => {
      await using service = await createNotesService({ notes: 3 })
      const { baseUrl, apiKey, fetch, clock } = service
      const store = { ...postgresMirror(database.pool), clock }
      const client = new NotesClient({ baseUrl, apiKey, fetch })
      const mirror = createMirror({ client, store, integration: name })
      await mirror.sync()
      const apply = applyWith(database.pool)

      await refuse('INSERT ON outbox')
      assert.equal((await mirror.consumeDue({ name, apply })).failed, 3)
      assert.equal(await count('outbox'), 0)

      await accept()
      await clock.advance('1h')
      const applyAndFail: typeof apply = async (changes, context) => {
        await apply(changes, context)
        throw new Error('the answer to COMMIT was lost')
      }
      assert.equal((await mirror.consumeDue({ name, apply: applyAndFail })).applied, 3)
      assert.equal((await mirror.consumeDue({ name, apply })).applied, 0)
      assert.equal(await count('outbox'), 3)
    })
  }
})

async function count(rows: string): Promise<number> {
  return (await database.pool.query(`SELECT count(*)::int FROM ${rows}`)).rows[0].count
}

/** Makes COMMIT fail after `write`, when all rows were written, including those of the store. */
async function refuse(write: string): Promise<void> {
  await database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the journal is closed'; END $$;
    CREATE CONSTRAINT TRIGGER closed AFTER ${write} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
}

async function accept(): Promise<void> {
  await database.pool.query('DROP FUNCTION refuse CASCADE')
}
