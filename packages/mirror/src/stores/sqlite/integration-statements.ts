import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import type { EndpointRecord, Fence, IntegrationRecord } from '../../interfaces/integration-store.ts'
import { ERASE_WITHIN_MS } from '../../interfaces/note-state.ts'
import { unescapedText } from '../escaped-text.ts'

const FENCED = 'integration = ? AND generation = ? AND token = coalesce(?, token)'

/** The parameters of `FENCED`. */
function fenceValues(integration: string, { generation, token }: Fence) {
  return [integration, generation, token ?? null]
}

/** Makes the statement that rolls the transaction back unless generation and fencing token are current, and the state is the given one, if any. */
export function fenceStatement(integration: string, fence: Fence, state: 'removing' | null = null): SqliteStatement {
  const sql = `INSERT INTO notewire_integration_fences (of) SELECT 'lost' WHERE NOT EXISTS (
    SELECT 1 FROM notewire_integrations WHERE ${FENCED} AND state = coalesce(?, state))`
  return { sql, parameters: [...fenceValues(integration, fence), state] }
}

/** Makes the statement that makes an integration due because of a hint. */
export function hintStatement(integration: string, dueAt: number): SqliteStatement {
  const sql = `UPDATE notewire_integrations SET hints = hints + 1,
    rank = CASE WHEN is_held THEN rank ELSE 0 END,
    due_at = CASE
      WHEN is_held THEN due_at
      WHEN state = 'parked' THEN min(coalesce(due_at, 1e300), ? + ${ERASE_WITHIN_MS})
      ELSE min(coalesce(due_at, 1e300), max(?, coalesce(paused_until, 0))) END
    WHERE integration = ?`
  return { sql, parameters: [dueAt, dueAt, integration] }
}

/** Makes a fenced update of an integration. It returns a row if the fencing token is current. */
export function fencedUpdate(
  change: string,
  values: SqliteStatement['parameters'],
  integration: string,
  fence: Fence,
): SqliteStatement {
  return {
    sql: `UPDATE OR IGNORE notewire_integrations SET ${change} WHERE ${FENCED} RETURNING token`,
    parameters: [...values, ...fenceValues(integration, fence)],
  }
}

const ASKED = 'WITH asked (most, now, latest_due, latest_end) AS (VALUES (?, ?, ?, ?))'
const IS_DUE = 'due_at <= (SELECT now FROM asked)'
const IS_TOO_FAR_AHEAD = 'due_at > (SELECT latest_due FROM asked)'
const IS_LEASE_TOO_LONG = 'is_held = 1 AND due_at > (SELECT latest_end FROM asked)'
const IS_ALLOWED = 'rank <= (SELECT most FROM asked)'

const firstOf = (rank: number, isDue: string) =>
  `SELECT * FROM (SELECT integration, rank FROM notewire_integrations
    WHERE rank = ${rank} AND ${isDue} AND ${IS_ALLOWED} ORDER BY due_at LIMIT 1)`

const mostUrgentOf = (rank: number) =>
  `SELECT * FROM (${firstOf(rank, IS_DUE)} UNION ALL ${firstOf(rank, IS_TOO_FAR_AHEAD)})`

// Durable Objects accept at most five terms in a compound SELECT.
/** Parameters: the highest rank, now, the latest time at which an integration can be due, the latest time at which a lease can end. */
export const MOST_URGENT = `${ASKED} SELECT integration FROM (
  ${[0, 1, 2, 3].map(mostUrgentOf).join(' UNION ALL ')}
  UNION ALL SELECT integration, rank FROM notewire_integrations WHERE ${IS_LEASE_TOO_LONG} AND ${IS_ALLOWED}
  ) ORDER BY rank LIMIT 1`

/** Parameters: those of `MOST_URGENT`, and the integration. */
export const THIS_ONE = `${ASKED} SELECT integration FROM notewire_integrations
  WHERE ${IS_ALLOWED} AND (${IS_DUE} OR ${IS_TOO_FAR_AHEAD} OR ${IS_LEASE_TOO_LONG}) AND integration = ?`

export function recordIn(row: SqliteRow): IntegrationRecord {
  const number = (name: string) => (row[name] ?? null) as number | null
  const endpoint = row['endpoint']
  return {
    integration: unescapedText(String(row['integration'])),
    generation: String(row['generation']),
    state: row['state'] as IntegrationRecord['state'],
    parkedBecause: row['parked_because'] as IntegrationRecord['parkedBecause'],
    dueAt: number('due_at'),
    rank: Number(row['rank']),
    hints: Number(row['hints']),
    token: Number(row['token']),
    failures: Number(row['failures']),
    pausedUntil: number('paused_until'),
    keyPrint: row['key_print'] as string | null,
    pollEveryMs: number('poll_every_ms'),
    endpoint: typeof endpoint === 'string' ? (JSON.parse(endpoint) as EndpointRecord) : null,
  }
}
