import type { ChildProcess } from 'node:child_process'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { median } from './measure.ts'
import type { Row, Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

/** Our limits, as shares of the hand-written transaction. */
const THROUGHPUT_AIM = 0.8
const PROCESSOR_TIME_AIM = 1.4

const ROUNDS = 30
/** A server that has just started is slower, because its code is compiled while it runs. */
const WARM_UP_ROUNDS = 40
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
    const measured = [...(await measure(postgres.url, 0)), ...(await measure(postgres.url, FETCH_MS))]
    return [
      {
        title: 'How fast is exactly once in PostgreSQL?',
        unit: 'events/s',
        moreIsBetter: true,
        note: `New events with \`pg\`, 32 at once, over ten connections, to a server that writes each commit to disk. Each event inserts one row. *By hand* is \`BEGIN\`, \`INSERT … ON CONFLICT DO NOTHING\` for the event, an upsert of the note that compares the revision, the row, and \`COMMIT\`. *In one statement* does the same in one statement with three parts.`,
        rows: measured.map(({ rate }) => rate),
      },
      {
        title: 'How much processor time does exactly once cost?',
        unit: 'µs',
        moreIsBetter: false,
        note: 'Processor time of the Node.js process for each event, as above.',
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

async function measure(url: string, fetchMs: number): Promise<readonly { readonly rate: Row; readonly time: Row }[]> {
  const start = async (contender: string, row: Pick<Row, 'name' | 'isAlternative'>) => {
    const { process } = await startProgram('exactly-once-process.ts', contender, url, String(fetchMs))
    return { ...row, process, samples: [] as Sample[] }
  }
  const contenders = [
    await start('byHand', { name: 'by hand', isAlternative: true }),
    await start('inOneStatement', { name: 'in one statement', isAlternative: true }),
    await start('notewire', { name: 'notewire' }),
  ]
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) for (const { process } of contenders) await sampleOf(process)
  for (let round = 0; round < ROUNDS; round += 1) {
    // Alternates the direction, so that no contender always runs after the same one.
    for (const { process, samples } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      samples.push(await sampleOf(process))
    }
  }
  for (const { process } of contenders) process.disconnect()
  const column = fetchMs > 0 ? `after a fetch of ${fetchMs} ms` : 'without a fetch'
  const floor = contenders[0]?.samples ?? []
  return contenders.map(({ samples, process: _, ...contender }) => {
    const row = (select: (sample: Sample) => number) => {
      // The ratio of each round: a slow moment of the machine affects all contenders.
      const ratio = median(samples.map((sample, round) => select(sample) / select(floor[round] ?? sample)))
      return { ...contender, column, value: median(floor.map(select)) * ratio, ratio }
    }
    return {
      rate: { ...row(({ rate }) => rate), ...(contender.name === 'notewire' && { aim: THROUGHPUT_AIM }) },
      time: {
        ...row(({ cpuMicroseconds }) => cpuMicroseconds),
        ...(contender.name === 'notewire' && { aim: PROCESSOR_TIME_AIM }),
      },
    }
  })
}

async function sampleOf(program: ChildProcess): Promise<Sample> {
  const { done, ms, cpuMs } = await askProgram<{ done: number; ms: number; cpuMs: number }>(program, TURN_MS)
  return { rate: done / (ms / 1_000), cpuMicroseconds: (cpuMs * 1_000) / done }
}

const RAW_TABLES = `
  CREATE TABLE raw_events (event_id text PRIMARY KEY, processed_at timestamptz NOT NULL);
  CREATE TABLE raw_notes (note_id text PRIMARY KEY, revision bigint NOT NULL);
  CREATE TABLE rows_of_mine (event_id text NOT NULL)`
