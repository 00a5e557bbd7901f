import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver } from '@notewire/webhooks'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { Pool } from 'pg'
import { newEventId } from './claims.ts'

// Runs as a separate process, as a server does: otherwise the code of one contender would be compiled for the calls of all. Processes events for
// as many milliseconds as each message says, and answers with `{ done, ms, cpuMs }`.
const [contender = '', url = '', fetchMs = ''] = process.argv.slice(2)

const NOTES = 1_000
const PARALLEL = 32

const INSERT_ROW = 'INSERT INTO rows_of_mine VALUES ($1)'
const INSERT_EVENT = 'INSERT INTO raw_events VALUES ($1, now()) ON CONFLICT DO NOTHING'
const UPSERT_NOTE = `INSERT INTO raw_notes VALUES ($1, $2)
  ON CONFLICT (note_id) DO UPDATE SET revision = excluded.revision WHERE raw_notes.revision < excluded.revision`
const ONE_STATEMENT = `
  WITH event AS (INSERT INTO raw_events VALUES ($1, now()) ON CONFLICT DO NOTHING RETURNING event_id),
  note AS (
    INSERT INTO raw_notes SELECT $2, $3 FROM event
    ON CONFLICT (note_id) DO UPDATE SET revision = excluded.revision WHERE raw_notes.revision < excluded.revision
    RETURNING note_id)
  INSERT INTO rows_of_mine SELECT event_id FROM event, note`

let changes = 0

process.on('disconnect', () => process.exit())
const pool = new Pool({ connectionString: url })
// Connections may still be closing when `end` resolves, and then fail when the server ends.
pool.on('error', () => undefined)
const fetch = async () => void (Number(fetchMs) > 0 && (await sleep(Number(fetchMs))))
const operate = { byHand, inOneStatement, notewire: notewire() }[contender] ?? unknownContender
process.on('message', async (turnMs: number) => process.send?.(await takeTurn(turnMs)))
process.send?.('ready')

async function takeTurn(turnMs: number) {
  const cpu = process.cpuUsage()
  const began = performance.now()
  let done = 0
  const work = async () => {
    while (performance.now() - began < turnMs) {
      await operate()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  const { user, system } = process.cpuUsage(cpu)
  return { done, ms: performance.now() - began, cpuMs: (user + system) / 1_000 }
}

function notewire(): () => Promise<void> {
  const receiver = createReceiver({
    secret: () => undefined,
    store: postgresTransactions(pool),
    ...(Number(fetchMs) > 0 && { prepare: fetch }),
    on: { 'note.updated': ({ event_id }, { transaction }) => transaction.query(INSERT_ROW, [event_id]) },
  })
  return async () => {
    const { status } = await receiver.process(nextEvent())
    if (status !== 'applied') throw new Error(`a new event is ${status}`)
  }
}

// Cycles through the notes, so that parallel events never conflict.
function nextEvent() {
  changes += 1
  const noteId = `note_${contender}_${fetchMs}_${changes % NOTES}`
  return anEvent({ kind: 'note.updated', eventId: newEventId(), noteId, revision: Math.ceil(changes / NOTES) })
}

async function byHand(): Promise<void> {
  const { event_id, data } = nextEvent()
  await fetch()
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const event = await client.query(INSERT_EVENT, [event_id])
    const note = event.rowCount === 1 && (await client.query(UPSERT_NOTE, [data.note_id, data.revision]))
    if (note && note.rowCount === 1) await client.query(INSERT_ROW, [event_id])
    else throw new Error('a new event is a duplicate or stale')
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

async function inOneStatement(): Promise<void> {
  const { event_id, data } = nextEvent()
  await fetch()
  const { rowCount } = await pool.query(ONE_STATEMENT, [event_id, data.note_id, data.revision])
  if (rowCount !== 1) throw new Error('a new event is a duplicate or stale')
}

function unknownContender(): never {
  throw new Error(`unknown contender ${contender}`)
}
