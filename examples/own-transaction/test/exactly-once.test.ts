import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProcessOutcome, Receiver } from '@notewire/webhooks'
import { anEvent } from '@notewire/webhooks/testing'
import { receivers } from '../src/exactly-once.ts'
import { useTestDatabase } from './test-database.ts'

const database = useTestDatabase()

for (const [name, open] of Object.entries(receivers)) {
  describe(`exactly once with ${name}`, () => {
    it('writes one row for an event that is delivered ten times at once', async () => {
      const { receiver, end } = await open(database.url)
      const event = anEvent({ kind: 'note.deleted' })
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => send(receiver, event)))
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['applied', ...Array(9).fill('duplicate')])
      assert.equal(await deletions(), 1)
      await end()
    })

    it('writes nothing if the COMMIT fails, and the row at the retry', async () => {
      const { receiver, end } = await open(database.url)
      const event = anEvent({ kind: 'note.deleted' })
      await refuse("'the journal is closed'")
      assert.notEqual((await receiver.process(event)).status, 'applied')
      await database.pool.query('DROP FUNCTION refuse CASCADE')
      assert.equal(await deletions(), 0)
      assert.equal((await receiver.process(event)).status, 'applied')
      assert.equal(await deletions(), 1)
      await end()
    })

    for (const code of ['40P01', '40001', '55P03']) {
      it(`tries again after the error ${code}`, async () => {
        const { receiver, end } = await open(database.url)
        await refuse(`'try again' USING ERRCODE = '${code}'`)
        const outcome = receiver.process(anEvent({ kind: 'note.deleted' }))
        await new Promise((resolve) => setTimeout(resolve, 300))
        await database.pool.query('DROP FUNCTION refuse CASCADE')
        assert.equal((await outcome).status, 'applied')
        assert.equal(await deletions(), 1)
        await end()
      })
    }
  })
}

/** Sends an event again while it is busy, as the service does. On a slow machine, a transaction may wait longer than 2 s for another. */
async function send(receiver: Receiver, event: ProcessOutcome['event']): Promise<ProcessOutcome> {
  for (;;) {
    const outcome = await receiver.process(event)
    if (outcome.status !== 'busy') return outcome
  }
}

async function deletions(): Promise<number> {
  return (await database.pool.query('SELECT count(*)::int FROM deletions')).rows[0].count
}

/** Makes COMMIT fail after an insert. */
async function refuse(raise: string): Promise<void> {
  await database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE ${raise}; END $$;
    CREATE CONSTRAINT TRIGGER closed AFTER INSERT ON deletions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
}
