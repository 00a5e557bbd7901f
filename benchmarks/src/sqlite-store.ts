import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  betterSqlite,
  nodeSqlite,
  type SqliteConnection,
  type SqliteDriver,
  sqliteStore,
} from '@notewire/webhooks/sqlite'
import BetterSqlite from 'better-sqlite3'
import { claimsIn, KEEP_MS, LEASE_MS, newEventId } from './claims.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

/** Our lower limit, as a share of two statements with FULL. */
const AIM = 0.8

interface SqliteLibrary {
  readonly name: string
  open(path: string): Connection
  driver(path: string): SqliteDriver<SqliteConnection>
}

/** The methods that both libraries have. */
interface Connection {
  exec(sql: string): unknown
  prepare(sql: string): { run(...parameters: (string | number)[]): { readonly changes: number | bigint } }
  close(): unknown
}

const LIBRARIES: readonly SqliteLibrary[] = [
  { name: 'node:sqlite', open: (path) => new DatabaseSync(path), driver: nodeSqlite },
  {
    name: 'better-sqlite3',
    open: (path) => new BetterSqlite(path),
    driver: (path) => betterSqlite(new BetterSqlite(path)),
  },
]

/** Measures claim and commit in an SQLite file, compared with the minimum of two statements. */
export async function measureSqliteStore(): Promise<readonly Table[]> {
  const rows: Row[] = []
  for (const library of LIBRARIES) rows.push(...(await rowsBy(library)))
  return [
    {
      title: 'How fast is a claim in SQLite?',
      unit: 'events/s',
      moreIsBetter: true,
      note: '*Two statements* are `INSERT … ON CONFLICT DO NOTHING` and `UPDATE`, in two transactions of a WAL file. FULL and NORMAL are the values of `PRAGMA synchronous`. Notewire uses NORMAL for the claim, and FULL for the commit.',
      rows,
    },
  ]
}

async function rowsBy({ name, open, driver }: SqliteLibrary): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  const raw = { full: open(join(folder, 'full.db')), normal: open(join(folder, 'normal.db')) }
  const store = sqliteStore(driver(join(folder, 'notewire.db')))
  try {
    await store.migrate()
    const contenders: readonly Contender[] = [
      { name: 'two statements, FULL and FULL', operate: rawPairIn(raw.full, 'FULL'), isAlternative: true },
      { name: 'two statements, NORMAL and FULL', operate: rawPairIn(raw.normal, 'NORMAL'), isAlternative: true },
      ...claimsIn(store, AIM),
    ]
    return await measureThroughput(name, contenders, 1)
  } finally {
    raw.full.close()
    raw.normal.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param synchronous  for the claim. A commit is always flushed. */
function rawPairIn(database: Connection, synchronous: 'NORMAL' | 'FULL'): () => Promise<void> {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${RAW_TABLE}`)
  const [claim, commit] = [database.prepare(RAW_CLAIM), database.prepare(RAW_COMMIT)]
  return async () => {
    const eventId = newEventId()
    if (synchronous === 'NORMAL') database.exec('PRAGMA synchronous = NORMAL')
    if (claim.run(eventId, Date.now() + LEASE_MS).changes !== 1) throw new Error('a new event is there already')
    if (synchronous === 'NORMAL') database.exec('PRAGMA synchronous = FULL')
    commit.run(Date.now() + KEEP_MS, eventId)
  }
}

const RAW_TABLE = `CREATE TABLE raw_events (
  event_id TEXT PRIMARY KEY,
  lease_ends_at INTEGER,
  kept_until INTEGER
) STRICT, WITHOUT ROWID`
const RAW_CLAIM = 'INSERT INTO raw_events (event_id, lease_ends_at) VALUES (?, ?) ON CONFLICT DO NOTHING'
const RAW_COMMIT = 'UPDATE raw_events SET lease_ends_at = NULL, kept_until = ? WHERE event_id = ?'
