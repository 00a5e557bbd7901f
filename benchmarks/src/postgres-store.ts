import { namedStatements, postgresStore } from '@notewire/webhooks/postgres'
import { startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { claimsIn, claimWithNote, KEEP_MS, LEASE_MS, newEventId } from './claims.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

/** Our lower limit, as a share of two statements. */
const AIM = 0.8

/** Measures claim and commit in PostgreSQL, compared with the minimum of two statements. */
export async function measurePostgresStore(): Promise<readonly Table[]> {
  await using postgres = await startPostgres({ durable: true })
  return [
    {
      title: 'How fast is a claim in PostgreSQL?',
      unit: 'events/s',
      moreIsBetter: true,
      note: 'Claim and commit of new events with `pg`, over ten connections, to a server that writes each commit to disk. *Two statements* are `INSERT … ON CONFLICT DO NOTHING` and `UPDATE`.',
      rows: await withPool(postgres.url, rowsOver),
    },
  ]
}

async function withPool<Result>(url: string, measure: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = new Pool({ connectionString: url })
  // Connections may still be closing when `end` resolves, and then fail when the server ends.
  pool.on('error', () => undefined)
  try {
    return await measure(pool)
  } finally {
    await pool.end()
  }
}

async function rowsOver(pool: Pool): Promise<readonly Row[]> {
  const store = postgresStore(pool)
  await store.migrate()
  await pool.query(RAW_TABLE)
  const contenders: readonly Contender[] = [
    { name: 'two statements', operate: () => rawPair(pool), isAlternative: true },
    ...claimsIn(store, AIM),
    { ...claimWithNote(postgresStore(namedStatements(pool))), name: 'notewire, event and note, named statements' },
  ]
  return [...(await measureThroughput('pg', contenders, 1)), ...(await measureThroughput('pg', contenders, 32))]
}

const RAW_TABLE = `CREATE TABLE IF NOT EXISTS raw_events (
  event_id text PRIMARY KEY,
  lease_ends_at timestamptz,
  kept_until timestamptz
)`
const RAW_CLAIM = `INSERT INTO raw_events (event_id, lease_ends_at)
  VALUES ($1, now() + $2 * interval '1 millisecond')
  ON CONFLICT DO NOTHING`
const RAW_COMMIT = `UPDATE raw_events SET lease_ends_at = NULL, kept_until = now() + $2 * interval '1 millisecond'
  WHERE event_id = $1`

async function rawPair(pool: Pool): Promise<void> {
  const eventId = newEventId()
  const { rowCount } = await pool.query(RAW_CLAIM, [eventId, LEASE_MS])
  if (rowCount !== 1) throw new Error('the new event already exists')
  await pool.query(RAW_COMMIT, [eventId, KEEP_MS])
}
