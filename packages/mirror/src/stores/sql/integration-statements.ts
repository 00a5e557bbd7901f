import { type IntegrationRecord, type IntegrationRows, RANKS } from '../../integrations/integration-store.ts'
import { dueTimes, latestLeaseEnd, takingOrder } from '../../integrations/taking-order.ts'
import { escapedJson } from '../escaped-text.ts'
import { constant, joined, NOTHING, raw, resultOf, type Sql, sql } from './sql.ts'
import type { Dialect } from './sql-database.ts'
import { isIn, isInAny } from './time-ranges.ts'

type ListRequest = Parameters<IntegrationRows['list']>[0]
type TakeRequest = Parameters<IntegrationRows['take']>[0]
type HintedRequest = Parameters<IntegrationRows['findHinted']>[0]

const IS_ADDED = sql`record ->> 'isSingle' IS NULL`
const DUE_AT = raw('due_at')

/** Lists integrations by id. */
export function list(
  { integration, state, hasHeldRemovals, after, limit }: ListRequest,
  { object, json }: Dialect,
): Sql {
  const held = sql`notewire_mirror_notes AS note
    WHERE note.integration = listed.integration AND note.held_by_scan IS NOT NULL AND note.presence = 'hidden'`
  const listed = object({ record: json(sql`record`), heldRemovals: sql`(SELECT count(*) FROM ${held})` })
  return sql`SELECT ${resultOf(listed)} FROM notewire_integrations AS listed
    WHERE integration > ${after} AND ${integration === undefined ? IS_ADDED : sql`integration = ${integration}`}
    ${state === undefined ? NOTHING : sql`AND record ->> 'state' = ${state}`}
    ${hasHeldRemovals ? sql`AND EXISTS (SELECT 1 FROM ${held})` : NOTHING}
    ORDER BY integration LIMIT ${limit}`
}

/**
 * Writes a row unless another process has written it since it was read, and returns a row if it has.
 *
 * @param durably  a condition that is true
 */
export function write(next: IntegrationRecord, read: IntegrationRecord | undefined, durably: Sql): Sql {
  const { integration } = next
  const record = escapedJson({ ...next, version: read === undefined ? 0 : read.version + 1 })
  if (read === undefined) {
    return sql`INSERT INTO notewire_integrations (integration, record) SELECT ${integration}, ${record} WHERE ${durably}
      ON CONFLICT (integration) DO NOTHING RETURNING '1' AS result`
  }
  const { generation, version, hints } = read
  return sql`UPDATE notewire_integrations SET record = ${record}
    WHERE integration = ${integration} AND generation = ${generation} AND version = ${version} AND hints = ${hints} AND ${durably}
    RETURNING '1' AS result`
}

/** Finds the integration to take, as a value that is NULL if none is due. */
export function foundFor({ now, until, maxRank, integration, ...request }: TakeRequest, dialect: Dialect): Sql {
  const isFree = sql`(lease_until IS NULL OR lease_until <= ${now} OR lease_until > ${latestLeaseEnd({ now, until })})
    ${others(request, dialect)}`
  const first = (condition: Sql) => sql`(SELECT integration FROM notewire_integrations
    WHERE ${condition} AND ${isFree} ORDER BY due_at LIMIT 1 ${dialect.skippingLocked})`
  if (integration === undefined) {
    // The searches after the first that finds one are not run, and each reads the index in its order.
    const searches = takingOrder(now, maxRank).map(({ rank, ...due }) =>
      first(sql`rank = ${constant(rank)} AND ${isIn(DUE_AT, due)}`),
    )
    return sql`coalesce(${joined(searches, ', ')})`
  }
  const { past, tooFarAhead } = dueTimes(now)
  const isDue = request.isForced ? NOTHING : sql`AND ${isInAny(DUE_AT, [past, tooFarAhead])}`
  return first(sql`integration = ${integration} AND rank <= ${maxRank} ${isDue}`)
}

/** Leaves out the integrations that a request does not want. */
function others(
  { includesSingle, except = [] }: Pick<TakeRequest, 'includesSingle' | 'except'>,
  dialect: Dialect,
): Sql {
  const isAdded = includesSingle ? NOTHING : sql`AND ${IS_ADDED}`
  const isOther = except.length === 0 ? NOTHING : sql`AND integration NOT IN (${dialect.textsIn(escapedJson(except))})`
  return sql`${isAdded} ${isOther}`
}

/** Takes the integration that `found` finds. It reads the copy after it has taken it, so that it sees everything that the worker before has committed. */
export function take(found: Sql, { until, worker }: TakeRequest, dialect: Dialect): Sql {
  const taken = dialect.withFields(sql`record`, {
    version: sql`version + 1`,
    token: sql`token + 1`,
    leaseUntil: sql`CAST(${until} AS numeric)`,
    worker: sql`CAST(${worker} AS text)`,
  })
  return dialect.orServerTime(sql`UPDATE notewire_integrations SET record = ${taken} WHERE integration = ${found}
    RETURNING ${takenRow(dialect)}`)
}

/** Finds the integration whose hint has waited longest for the worker that has it. */
export function findHinted({ now, waitingSince, integration, ...request }: HintedRequest, dialect: Dialect): Sql {
  return sql`SELECT ${takenRow(dialect)} FROM notewire_integrations
    WHERE rank = ${constant(RANKS.hint)} AND due_at <= ${waitingSince} AND lease_until > ${now} AND record ->> 'state' = 'active'
    ${others(request, dialect)} ${integration === undefined ? NOTHING : sql`AND integration = ${integration}`}
    ORDER BY due_at LIMIT 1`
}

function takenRow({ object, json, copyOf, serverTime }: Dialect): Sql {
  return resultOf(object({ record: json(sql`record`), copy: copyOf(sql`integration`), serverTime }))
}
