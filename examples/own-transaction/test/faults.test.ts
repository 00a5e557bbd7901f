import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createReceiver } from '@notewire/webhooks'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { drizzle } from 'drizzle-orm/node-postgres'
import { receivers } from '../src/exactly-once.ts'
import { useTestDatabase } from './test-database.ts'

const EVENTS = 100
const AT_ONCE = 12

const database = useTestDatabase()

describe('while connections break in transactions', () => {
  for (const name of ['drizzle', 'kysely', 'prisma']) {
    it(`${name} writes one row for each event`, { timeout: 60_000 }, async () => {
      const open = await receivers[name]?.(database.url)
      assert.ok(open)
      await database.pool.query(BREAK)
      const noteIds = Array.from({ length: EVENTS }, (_, index) => `note ${index}`)
      const waiting = [...noteIds]
      const deliver = async () => {
        for (let noteId = waiting.shift(); noteId !== undefined; noteId = waiting.shift()) {
          const event = anEvent({ kind: 'note.deleted', noteId, eventId: `deletion of ${noteId}` })
          // The service sends an event again until it is acknowledged.
          for (let status = ''; status !== 'applied' && status !== 'duplicate'; ) {
            status = (await open.receiver.process(event)).status
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, deliver))
      await database.pool.query('DROP FUNCTION break_connection CASCADE')
      const { rows } = await database.pool.query('SELECT note_id FROM deletions')
      assert.deepEqual(rows.map(({ note_id }) => note_id).sort(), noteIds.sort())
      await open.end()
    })
  }
})

it('Drizzle takes the client of a handler', async () => {
  const receiver = createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresTransactions(database.pool),
    on: {
      'note.deleted': async (_event, { transaction }) => {
        await drizzle({ client: transaction }).execute("INSERT INTO deletions (note_id) VALUES ('one')")
      },
    },
  })
  assert.equal((await receiver.process(anEvent({ kind: 'note.deleted' }))).status, 'applied')
  assert.equal((await database.pool.query('SELECT FROM deletions')).rowCount, 1)
})

/** Breaks the connection of every tenth transaction in its statement. */
const BREAK = `
  CREATE OR REPLACE FUNCTION break_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF random() < 0.1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$;
  CREATE TRIGGER breaking BEFORE INSERT ON deletions FOR EACH ROW EXECUTE FUNCTION break_connection()`
