import { empty, type Sql } from 'sql-template-tag'
import { MAX_COUNTED } from '../../integrations/integration-store.ts'
import { dueTimes } from '../../integrations/taking-order.ts'
import { constant, resultOf, sql } from './sql.ts'
import type { Dialect } from './sql-database.ts'
import { isIn, isInAny } from './time-ranges.ts'

const ADDED = sql`(SELECT * FROM notewire_integrations WHERE record ->> 'isSingle' IS NULL) AS added`
const IS_OF_ADDED = sql`integration IN (SELECT integration FROM ${ADDED})`
const IS_HELD = sql`held_by_scan IS NOT NULL AND presence = 'hidden'`
const IS_KEPT = sql`record ->> 'state' <> 'removing'`
const NEXT_AT = sql`next_at`
const PROBLEM = sql`record -> 'problem' ->> 'code'`
const ENDPOINT = sql`record -> 'endpoint' ->> 'status'`

/** Counts the integrations that `add` has made: the fields of `IntegrationCounts`. */
export function countStatement(now: number, { object, objectOf }: Dialect): Sql {
  const { past, ahead, tooFarAhead } = dueTimes(now)
  const countedBy = (key: Sql, others = empty) =>
    objectOf(sql`SELECT ${key} AS key, count(*) AS number
    FROM ${ADDED} WHERE ${key} IS NOT NULL AND ${IS_KEPT} ${others} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${constant(MAX_COUNTED)}`)
  const counts = object({
    active: having(sql`record ->> 'state' = 'active'`),
    removing: having(sql`record ->> 'state' = 'removing'`),
    parked: object({
      key_changed: having(sql`record ->> 'parkedBecause' = 'key_changed'`),
      key_shared: having(sql`record ->> 'parkedBecause' = 'key_shared'`),
      key_refused: having(sql`record ->> 'parkedBecause' = 'key_refused'`),
    }),
    due: having(isInAny(NEXT_AT, [past, tooFarAhead])),
    dueSince: sql`min(next_at) FILTER (WHERE ${isIn(NEXT_AT, past)})`,
    nextAt: sql`min(next_at) FILTER (WHERE ${isIn(NEXT_AT, ahead)})`,
    backingOff: having(sql`record ->> 'state' = 'active' AND CAST(record ->> 'failures' AS integer) > 0`),
    contradictions: sql`(SELECT count(*) FROM notewire_mirror_notes WHERE contradicted_since IS NOT NULL AND ${IS_OF_ADDED})`,
    heldRemovals: sql`(SELECT count(DISTINCT integration) FROM notewire_mirror_notes WHERE ${IS_HELD} AND ${IS_OF_ADDED})`,
    problems: countedBy(PROBLEM),
    endpoints: countedBy(ENDPOINT, sql`AND ${ENDPOINT} <> 'active'`),
    oldestSyncedAt: sql`min(CAST(record ->> 'syncedAt' AS numeric)) FILTER (WHERE ${IS_KEPT})`,
  })
  const isTakenUntilLater = sql`lease_until > ${now} AND lease_until > due_at`
  return sql`SELECT ${resultOf(counts)}
    FROM (SELECT record, CASE WHEN ${isTakenUntilLater} THEN lease_until ELSE due_at END AS next_at FROM ${ADDED}) AS counted`
}

function having(condition: Sql): Sql {
  return sql`count(*) FILTER (WHERE ${condition})`
}
