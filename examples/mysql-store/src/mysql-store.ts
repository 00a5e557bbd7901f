import {
  type AppliedRevision,
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  type CommitResult,
  passRevisionGate,
  type ReceiverStore,
  raiseRevision,
} from '@notewire/webhooks/store'
import type { Connection, Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise'

// Times are milliseconds of the server's clock. `lease_ends_at` is 0 without a lease, and `kept_until` is 0 before the first commit.
const TABLE = `
  CREATE TABLE IF NOT EXISTS notewire_records (
    integration VARBINARY(128) NOT NULL,
    kind ENUM('event', 'note') NOT NULL,
    id VARBINARY(1536) NOT NULL,
    fencing_token BIGINT NOT NULL DEFAULT 0,
    lease_ends_at BIGINT NOT NULL DEFAULT 0,
    kept_until BIGINT NOT NULL DEFAULT 0,
    is_forgotten BOOLEAN NOT NULL DEFAULT FALSE,
    applied LONGTEXT CHARACTER SET utf8mb4,
    PRIMARY KEY (integration, kind, id),
    KEY (kept_until)
  )`

// NOW would be the time before the statement waited for a lock.
const NOW = 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS UNSIGNED)'
const TIME_LIMIT_MS = 5_000
const PRUNE_BATCH = 1_000

type Kind = 'event' | 'note'
type Value = string | number

/** The row of an event or of a note. */
interface Row {
  readonly fencingToken: number
  readonly leaseEndsAt: number
  readonly keptUntil: number
  readonly isForgotten: boolean
  /** Of a note. */
  readonly applied: AppliedRevision | undefined
}

/** The rows that a request is about, locked until the transaction ends. */
interface LockedRows {
  readonly event: Row | undefined
  readonly note: Row | undefined
  readonly now: number
}

/** A store in MySQL 8 or MariaDB. */
export function mysqlStore(pool: Pool): ReceiverStore & { migrate(): Promise<void> } {
  return {
    async migrate() {
      await pool.query(TABLE)
    },
    claim: (request) => inTransaction(pool, (connection) => claim(connection, request)),
    commit: (each) => inTransaction(pool, (connection) => commit(connection, each)),
    renew: (each, leaseMs) => inTransaction(pool, (connection) => renew(connection, each, leaseMs)),
    release: (each) => inTransaction(pool, (connection) => release(connection, each)),
    forget: (integration, eventId) => inTransaction(pool, (connection) => forget(connection, integration, eventId)),
    prune: () => prune(pool),
  }
}

async function claim(connection: Connection, request: ClaimRequest): Promise<ClaimResult> {
  await insertMissing(connection, request)
  const { event, note, now } = await lockRows(connection, request)
  const isProcessed = event !== undefined && event.keptUntil > 0
  if (isProcessed && !event.isForgotten) return { status: 'duplicate' }

  // A forgotten event passes the gate.
  const change = isProcessed ? undefined : request.note?.change
  if (change !== undefined && passRevisionGate(request.gate, change, note?.applied) === 'stale') {
    return { status: 'stale', appliedRevision: note?.applied?.revision }
  }

  // A lease that ends later was written before the clock was set back.
  const latestEnd = now + 2 * request.leaseMs
  const isLeased = (row: Row | undefined) => row && row.leaseEndsAt > now && row.leaseEndsAt <= latestEnd
  if (isLeased(event) || isLeased(note)) return { status: 'busy' }

  // At least the time, so that tokens also grow if a row was pruned in between.
  const fencingToken = Math.max(now, (event?.fencingToken ?? 0) + 1, (note?.fencingToken ?? 0) + 1)
  const lease = [fencingToken, now + request.leaseMs]
  await update(connection, request, ['event', 'note'], 'fencing_token = ?, lease_ends_at = ?', lease)
  return { status: 'claimed', claim: { request, fencingToken: String(fencingToken), applied: note?.applied } }
}

async function commit(connection: Connection, claim: Claim): Promise<CommitResult> {
  const { request } = claim
  const rows = await lockRows(connection, request)
  if (!isCurrent(claim, rows)) return 'lost'
  const keep = 'lease_ends_at = 0, kept_until = GREATEST(kept_until, ?)'
  const keptUntil = rows.now + request.keepMs
  await update(connection, request, ['event'], `${keep}, is_forgotten = FALSE`, [keptUntil])
  const change = request.note?.change
  if (change === undefined) {
    await update(connection, request, ['note'], 'lease_ends_at = 0', [])
  } else {
    const applied = JSON.stringify(raiseRevision(rows.note?.applied, change))
    await update(connection, request, ['note'], `${keep}, applied = ?`, [keptUntil, applied])
  }
  return 'committed'
}

async function renew(connection: Connection, claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
  const rows = await lockRows(connection, claim.request)
  if (!isCurrent(claim, rows)) return 'lost'
  await update(connection, claim.request, ['event', 'note'], 'lease_ends_at = ?', [rows.now + leaseMs])
  return 'renewed'
}

async function release(connection: Connection, claim: Claim): Promise<void> {
  if (!isCurrent(claim, await lockRows(connection, claim.request))) return
  await update(connection, claim.request, ['event', 'note'], 'lease_ends_at = 0', [])
}

async function forget(connection: Connection, integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
  const sql = `UPDATE notewire_records SET is_forgotten = TRUE
    WHERE integration = ? AND kind = 'event' AND id = ? AND kept_until > 0 AND NOT is_forgotten`
  const { affectedRows } = await run<ResultSetHeader>(connection, sql, [integration, eventId])
  return affectedRows === 0 ? 'unknown' : 'forgotten'
}

async function prune(pool: Pool): Promise<number> {
  const sql = `DELETE FROM notewire_records WHERE kept_until < ${NOW} AND lease_ends_at < ${NOW} LIMIT ${PRUNE_BATCH}`
  for (let removed = 0; ; ) {
    const { affectedRows } = await inTransaction(pool, (connection) => run<ResultSetHeader>(connection, sql, []))
    removed += affectedRows
    if (affectedRows < PRUNE_BATCH) return removed
  }
}

/** Whether the claim has not ended, and no other worker has claimed its event or its note. */
function isCurrent({ request, fencingToken }: Claim, { event, note }: LockedRows): boolean {
  const claimed = request.note === undefined ? [event] : [event, note]
  return claimed.every((row) => row !== undefined && row.leaseEndsAt > 0 && String(row.fencingToken) === fencingToken)
}

/** Only rows that exist can be locked. `prune` removes the inserted rows of events that were not processed. */
async function insertMissing(connection: Connection, { integration, eventId, note }: ClaimRequest): Promise<void> {
  const values = [integration, 'event', eventId, ...(note === undefined ? [] : [integration, 'note', note.noteId])]
  // INSERT IGNORE would take shared locks, which deadlock.
  const sql = `INSERT INTO notewire_records (integration, kind, id)
    VALUES (?, ?, ?)${note === undefined ? '' : ', (?, ?, ?)'} ON DUPLICATE KEY UPDATE fencing_token = fencing_token`
  await run(connection, sql, values)
}

async function lockRows(connection: Connection, request: ClaimRequest): Promise<LockedRows> {
  const { sql, values } = where(request, ['event', 'note'])
  const found = await run<RowDataPacket[]>(
    connection,
    `SELECT *, ${NOW} AS now FROM notewire_records ${sql} FOR UPDATE`,
    values,
  )
  const rowOf = (kind: Kind) => readRow(found.find((row) => row['kind'] === kind))
  return { event: rowOf('event'), note: rowOf('note'), now: Number(found[0]?.['now']) }
}

function readRow(row: RowDataPacket | undefined): Row | undefined {
  if (row === undefined) return undefined
  return {
    fencingToken: Number(row['fencing_token']),
    leaseEndsAt: Number(row['lease_ends_at']),
    keptUntil: Number(row['kept_until']),
    isForgotten: row['is_forgotten'] === 1,
    applied: row['applied'] === null ? undefined : JSON.parse(row['applied']),
  }
}

async function update(
  connection: Connection,
  request: ClaimRequest,
  kinds: readonly Kind[],
  assignments: string,
  assigned: readonly Value[],
): Promise<void> {
  const { sql, values } = where(request, kinds)
  await run(connection, `UPDATE notewire_records SET ${assignments} ${sql}`, [...assigned, ...values])
}

function where({ integration, eventId, note }: ClaimRequest, kinds: readonly Kind[]) {
  const ids = { event: eventId, note: note?.noteId }
  const wanted = kinds.flatMap((kind) => (ids[kind] === undefined ? [] : [[kind, ids[kind]]]))
  const isRow = wanted.map(() => 'kind = ? AND id = ?').join(' OR ')
  return { sql: `WHERE integration = ? AND (${isRow || 'FALSE'})`, values: [integration, ...wanted.flat()] }
}

/** Commits what `work` has written, or nothing if it fails. */
async function inTransaction<Result>(pool: Pool, work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const connection = await pool.getConnection()
  try {
    await connection.beginTransaction()
    const result = await work(connection)
    await connection.commit()
    connection.release()
    return result
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function run<Result extends RowDataPacket[] | ResultSetHeader>(
  connection: Connection,
  sql: string,
  values: readonly Value[],
): Promise<Result> {
  const [result] = await connection.execute<Result>({ sql, values: [...values], timeout: TIME_LIMIT_MS })
  return result
}
