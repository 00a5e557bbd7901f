import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createReceiver } from '@notewire/webhooks'
import { postgresStore, postgresTransactions } from '@notewire/webhooks/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type Postgres, startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { receivers } from '../src/exactly-once.ts'
import { createTables } from '../src/tables.ts'

const EVENTS = 100
const AT_ONCE = 12

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
beforeEach(() => pool.query('TRUNCATE deletions, notewire_events, notewire_notes'))
after(async () => {
  await pool.end()
  await server.stop()
})

describe('while connections break in transactions', () => {
  for (const name of ['drizzle', 'kysely', 'prisma']) {
    it(`${name} writes one row for each event`, { timeout: 60_000 }, async () => {
      const open = await receivers[name]?.(server.url)
      assert.ok(open)
      await pool.query(BREAK)
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
      await pool.query('DROP FUNCTION break_connection CASCADE')
      const { rows } = await pool.query('SELECT note_id FROM deletions')
      assert.deepEqual(rows.map(({ note_id }) => note_id).sort(), noteIds.sort())
      await open.end()
    })
  }
})

it('Drizzle takes the client of a handler', async () => {
  const receiver = createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresTransactions(pool),
    on: {
      'note.deleted': async (_event, { transaction }) => {
        await drizzle({ client: transaction }).execute("INSERT INTO deletions (note_id) VALUES ('one')")
      },
    },
  })
  assert.equal((await receiver.process(anEvent({ kind: 'note.deleted' }))).status, 'applied')
  assert.equal((await pool.query('SELECT FROM deletions')).rowCount, 1)
})

/** Breaks the connection of every tenth transaction in its statement. */
const BREAK = `
  CREATE OR REPLACE FUNCTION break_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF random() < 0.1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END $$;
  CREATE TRIGGER breaking BEFORE INSERT ON deletions FOR EACH ROW EXECUTE FUNCTION break_connection()`
