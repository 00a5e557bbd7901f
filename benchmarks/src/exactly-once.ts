import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver } from '@notewire/webhooks'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { newEventId } from './claims.ts'
import { median } from './measure.ts'
import type { Row, Table } from './report.ts'

/** Our limits, as shares of the hand-written transaction. */
const THROUGHPUT_AIM = 0.8
const PROCESSOR_TIME_AIM = 1.4

const NOTES = 1_000
const PARALLEL = 32
const ROUNDS = 10
/** A server that has just started is slower, because its code is not compiled yet. */
const WARM_UP_ROUNDS = 4
const TURN_MS = 400
const FETCH_MS = 5

/** Measures the processing of events in one transaction, compared with hand-written transactions. */
export async function measureExactlyOnce(): Promise<readonly Table[]> {
  await using postgres = await startPostgres({ durable: true })
  const pool = new Pool({ connectionString: postgres.url })
  // Connections may still be closing when `end` resolves, and then fail when the server ends.
  pool.on('error', () => undefined)
  try {
    await postgresTransactions(pool).migrate()
    await pool.query(RAW_TABLES)
    const measured = [...(await measure(pool, 0)), ...(await measure(pool, FETCH_MS))]
    return [
      {
        title: 'How fast is exactly once in PostgreSQL?',
        unit: 'events/s',
        moreIsBetter: true,
        note: `New events with \`pg\`, ${PARALLEL} at once, over ten connections, to a server that writes each commit to disk. Each event inserts one row of its own. *By hand* is \`BEGIN\`, \`INSERT … ON CONFLICT DO NOTHING\` for the event, an upsert of the note that compares the revision, the row, and \`COMMIT\`. *In one statement* does the same in one statement with three parts.`,
        rows: measured.map(({ rate }) => rate),
      },
      {
        title: 'How much processor time does exactly once cost?',
        unit: 'µs',
        moreIsBetter: false,
        note: 'Processor time of the Node.js process for each event of the table above.',
        rows: measured.map(({ time }) => time),
      },
    ]
  } finally {
    await pool.end()
  }
}

interface Sample {
  readonly rate: number
  readonly cpuMicroseconds: number
}

async function measure(pool: Pool, fetchMs: number): Promise<readonly { readonly rate: Row; readonly time: Row }[]> {
  const receiver = createReceiver({
    secret: () => undefined,
    store: postgresTransactions(pool),
    ...(fetchMs > 0 && { prepare: () => sleep(fetchMs) }),
    on: { 'note.updated': ({ event_id }, { transaction }) => transaction.query(INSERT_ROW, [event_id]) },
  })
  const contenders = [
    { name: 'by hand', isAlternative: true, operate: () => byHand(pool, fetchMs), samples: [] as Sample[] },
    {
      name: 'in one statement',
      isAlternative: true,
      operate: () => inOneStatement(pool, fetchMs),
      samples: [] as Sample[],
    },
    {
      name: 'notewire',
      isOurs: true,
      operate: async () => {
        const { status } = await receiver.process(nextEvent())
        if (status !== 'applied') throw new Error(`a new event is ${status}`)
      },
      samples: [] as Sample[],
    },
  ]
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) for (const { operate } of contenders) await sampleOf(operate)
  for (let round = 0; round < ROUNDS; round += 1) {
    // Alternates the direction, so that no contender always runs after the same one.
    for (const { operate, samples } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      samples.push(await sampleOf(operate))
    }
  }
  const column = fetchMs > 0 ? `after a fetch of ${fetchMs} ms` : 'without a fetch'
  const floor = contenders[0]?.samples ?? []
  return contenders.map(({ samples, operate: _, isOurs = false, ...contender }) => {
    const row = (select: (sample: Sample) => number) => {
      // The ratio of each round: a slow moment of the machine affects all contenders.
      const ratio = median(samples.map((sample, round) => select(sample) / select(floor[round] ?? sample)))
      return { ...contender, column, value: median(floor.map(select)) * ratio, ratio }
    }
    return {
      rate: { ...row(({ rate }) => rate), ...(isOurs && { aim: THROUGHPUT_AIM }) },
      time: { ...row(({ cpuMicroseconds }) => cpuMicroseconds), ...(isOurs && { aim: PROCESSOR_TIME_AIM }) },
    }
  })
}

async function sampleOf(operate: () => Promise<unknown>): Promise<Sample> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  let done = 0
  const work = async () => {
    while (performance.now() - began < TURN_MS) {
      await operate()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  const { user, system } = process.cpuUsage(cpu)
  return { rate: done / ((performance.now() - began) / 1_000), cpuMicroseconds: (user + system) / done }
}

let changes = 0

// Cycles through the notes, so that parallel events never conflict.
function nextEvent() {
  changes += 1
  const noteId = `note_${String(changes % NOTES).padStart(20, '0')}`
  return anEvent({ kind: 'note.updated', eventId: newEventId(), noteId, revision: Math.ceil(changes / NOTES) })
}

const RAW_TABLES = `
  CREATE TABLE raw_events (event_id text PRIMARY KEY, processed_at timestamptz NOT NULL);
  CREATE TABLE raw_notes (note_id text PRIMARY KEY, revision bigint NOT NULL);
  CREATE TABLE rows_of_mine (event_id text NOT NULL)`
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

async function byHand(pool: Pool, fetchMs: number): Promise<void> {
  const { event_id, data } = nextEvent()
  if (fetchMs > 0) await sleep(fetchMs)
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

async function inOneStatement(pool: Pool, fetchMs: number): Promise<void> {
  const { event_id, data } = nextEvent()
  if (fetchMs > 0) await sleep(fetchMs)
  const { rowCount } = await pool.query(ONE_STATEMENT, [event_id, data.note_id, data.revision])
  if (rowCount !== 1) throw new Error('a new event is a duplicate or stale')
}
