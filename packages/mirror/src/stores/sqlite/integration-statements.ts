import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import type { Fence, IntegrationRecord } from '../../integrations/integration-store.ts'
import { escapedJson, escapedText, readEscapedJson } from '../escaped-text.ts'

/** Makes the statement that rolls the transaction back unless generation and fencing token are current. */
export function fenceStatement(integration: string, { generation, token }: Fence): SqliteStatement {
  const sql = `INSERT INTO notewire_integration_fences (of) SELECT 'lost' WHERE NOT EXISTS (
    SELECT 1 FROM notewire_integrations WHERE integration = ? AND generation = ? AND token = coalesce(?, token))`
  return { sql, parameters: [integration, generation, token ?? null] }
}

export function hintStatement(integration: string, dueAt: number): SqliteStatement {
  const sql = `UPDATE notewire_integrations
    SET record = json_set(record, '$.hints', hints + 1, '$.rank', 0, '$.dueAt', min(coalesce(due_at, ?), ?)) WHERE integration = ?`
  return { sql, parameters: [dueAt, dueAt, integration] }
}

const ASKED =
  'WITH asked (max_rank, now, latest_due, latest_end, left_out, includes_single) AS (VALUES (?, ?, ?, ?, ?, ?))'
const IS_DUE = 'due_at <= (SELECT now FROM asked)'
const IS_TOO_FAR_AHEAD = 'due_at > (SELECT latest_due FROM asked)'
// A lease that ends later was written before the clock was set back.
const IS_FREE = `rank <= (SELECT max_rank FROM asked) AND (record ->> 'isSingle' IS NULL OR (SELECT includes_single FROM asked))
  AND (lease_until IS NULL OR lease_until <= (SELECT now FROM asked) OR lease_until > (SELECT latest_end FROM asked))
  AND integration NOT IN (SELECT value FROM json_each((SELECT left_out FROM asked)))`

const firstOf = (rank: number, isDue: string) =>
  `SELECT * FROM (SELECT integration, rank FROM notewire_integrations
    WHERE rank = ${rank} AND ${isDue} AND ${IS_FREE} ORDER BY due_at LIMIT 1)`

const mostUrgentOf = (rank: number) =>
  `SELECT * FROM (${firstOf(rank, IS_DUE)} UNION ALL ${firstOf(rank, IS_TOO_FAR_AHEAD)})`

// Durable Objects accept at most five terms in a compound SELECT.
/**
 * Parameters: the highest rank, now, the latest time at which an integration can be due, the latest time at which a lease can end, integrations not to
 * take as JSON, whether one of `createMirror` may be taken (1 or 0).
 */
export const MOST_URGENT = `${ASKED} SELECT integration FROM (
  ${[0, 1, 2, 3].map(mostUrgentOf).join(' UNION ALL ')}) ORDER BY rank LIMIT 1`

/** Parameters: those of `MOST_URGENT`, the integration, and whether to find it even if it is not due (1 or 0). */
export const THIS_ONE = `${ASKED} SELECT integration FROM notewire_integrations
  WHERE ${IS_FREE} AND integration = ? AND (${IS_DUE} OR ${IS_TOO_FAR_AHEAD} OR ?)`

/** The statement that takes an integration that `MOST_URGENT` or `THIS_ONE` finds. Parameters: the end of the lease, the worker, and those of the search. */
export const takeFound = (found: string) => `UPDATE notewire_integrations
  SET record = json_set(record, '$.version', version + 1, '$.token', token + 1, '$.leaseUntil', ?, '$.worker', ?)
  WHERE integration = (${found}) RETURNING record`

export function recordIn({ record }: SqliteRow): IntegrationRecord {
  return readEscapedJson(String(record)) as IntegrationRecord
}

/** Makes the statement that writes a row unless it was written since it was read. It returns a row if it has written one. */
export function writeStatement(next: IntegrationRecord, read: IntegrationRecord | undefined): SqliteStatement {
  const version = read === undefined ? 0 : read.version + 1
  const values = [escapedJson({ ...next, version }), escapedText(next.integration)]
  if (read === undefined) return { sql: INSERT, parameters: values }
  return { sql: UPDATE, parameters: [...values, read.generation, read.version, read.hints] }
}

const INSERT =
  'INSERT INTO notewire_integrations (record, integration) VALUES (?, ?) ON CONFLICT (integration) DO NOTHING RETURNING token'

const UPDATE = `UPDATE notewire_integrations SET record = ?
  WHERE integration = ? AND generation = ? AND version = ? AND hints = ? RETURNING token`

/** Ends every lease: the process that took it has ended. */
export const END_LEASES: readonly SqliteStatement[] = [
  `UPDATE notewire_integrations SET record = json_set(record, '$.leaseUntil', NULL) WHERE lease_until IS NOT NULL`,
  `UPDATE notewire_mirror_consumers SET state = json_set(state, '$.leaseUntil', NULL) WHERE state ->> 'leaseUntil' IS NOT NULL`,
].map((sql) => ({ sql, parameters: [] }))
