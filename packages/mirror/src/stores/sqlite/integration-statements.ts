import type { SqliteStatement } from '@notewire/storage'
import { type Fence, RANKS } from '../../integrations/integration-store.ts'

/** Makes the statement that rolls the transaction back unless generation and fencing token are current. */
export function fenceStatement(integration: string, { generation, token }: Fence): SqliteStatement {
  const sql = `INSERT INTO notewire_integration_fences (of) SELECT 'lost' WHERE NOT EXISTS (
    SELECT 1 FROM notewire_integrations WHERE integration = ? AND generation = ? AND token = coalesce(?, token))`
  return { sql, parameters: [integration, generation, token ?? null] }
}

export function hintStatement(integration: string, dueAt: number): SqliteStatement {
  const sql = `UPDATE notewire_integrations
    SET record = json_set(record, '$.hints', hints + 1, '$.rank', ${RANKS.hint}, '$.dueAt', min(coalesce(due_at, ?), ?)) WHERE integration = ?`
  return { sql, parameters: [dueAt, dueAt, integration] }
}

/** Ends every lease: the process that took it has ended. */
export const END_LEASES: readonly SqliteStatement[] = [
  `UPDATE notewire_integrations SET record = json_set(record, '$.leaseUntil', NULL) WHERE lease_until IS NOT NULL`,
  `UPDATE notewire_mirror_consumers SET state = json_set(state, '$.leaseUntil', NULL) WHERE state ->> 'leaseUntil' IS NOT NULL`,
].map((sql) => ({ sql, parameters: [] }))
