import { empty, join, raw, type Sql } from 'sql-template-tag'
import { type IntegrationRecord, type IntegrationRows, RANKS } from '../../integrations/integration-store.ts'
import { dueTimes, latestLeaseEnd, takingOrder } from '../../integrations/taking-order.ts'
import { escapedJson } from '../escaped-text.ts'
import { constant, resultOf, sql } from './sql.ts'
import type { Dialect } from './sql-database.ts'
import { isInAny } from './time-ranges.ts'

type ListRequest = Parameters<IntegrationRows['list']>[0]
type TakeRequest = Parameters<IntegrationRows['take']>[0]
type HintedRequest = Parameters<IntegrationRows['findHinted']>[0]

const IS_ADDED = sql`record ->> 'isSingle' IS NULL`
const DUE_AT = raw('due_at')

// Before and after every due time.
const EARLIEST = -1e15
const LATEST = 1e15

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
    ${state === undefined ? empty : sql`AND record ->> 'state' = ${state}`}
    ${hasHeldRemovals ? sql`AND EXISTS (SELECT 1 FROM ${held})` : empty}
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

/** The id of the integration to take; NULL if none is due. */
export function candidateFor({ now, until, maxRank, integration, ...request }: TakeRequest, dialect: Dialect): Sql {
  const isFree = sql`(lease_until IS NULL OR lease_until <= ${now} OR lease_until > ${latestLeaseEnd({ now, until })})
    ${exclusions(request, dialect)}`
  const first = (condition: Sql) => sql`(SELECT integration FROM notewire_integrations
    WHERE ${condition} AND ${isFree} ORDER BY due_at LIMIT 1 ${dialect.skippingLocked})`
  if (integration === undefined) {
    const order = takingOrder(now, maxRank).map(
      ({ rank, after, by }) => sql`(${constant(rank)}, ${timeOr(after, EARLIEST)}, ${timeOr(by, LATEST)})`,
    )
    const search = first(sql`rank = search.in_rank AND due_at > search.due_after AND due_at <= search.due_by`)
    // One search after the other, until one finds an integration: each reads the beginning of the index. It is written once, because planning eight
    // takes longer than running them. With LIMIT, PostgreSQL runs each once.
    return sql`(WITH search (in_rank, due_after, due_by) AS (VALUES ${join(order, ', ')})
      SELECT found FROM (SELECT ${search} AS found FROM search LIMIT ${constant(order.length)}) AS searched
      WHERE found IS NOT NULL LIMIT 1)`
  }
  const { past, tooFarAhead } = dueTimes(now)
  const isDue = request.isForced ? empty : sql`AND ${isInAny(DUE_AT, [past, tooFarAhead])}`
  return first(sql`integration = ${integration} AND rank <= ${maxRank} ${isDue}`)
}

function timeOr(time: number | null, otherwise: number): Sql {
  return time === null ? constant(otherwise) : sql`CAST(${time} AS numeric)`
}

/** The condition that leaves out what a request does not ask for. */
function exclusions(
  { includesSingle, except = [] }: Pick<TakeRequest, 'includesSingle' | 'except'>,
  dialect: Dialect,
): Sql {
  const isAdded = includesSingle ? empty : sql`AND ${IS_ADDED}`
  const isOther = except.length === 0 ? empty : sql`AND integration NOT IN (${dialect.textsIn(escapedJson(except))})`
  return sql`${isAdded} ${isOther}`
}

/** Takes the candidate. The copy is read after the integration is taken, and so contains everything that the previous worker has committed. */
export function take(candidate: Sql, { until, worker }: TakeRequest, dialect: Dialect): Sql {
  const taken = dialect.withFields(sql`record`, {
    version: sql`version + 1`,
    token: sql`token + 1`,
    leaseUntil: sql`CAST(${until} AS numeric)`,
    worker: sql`CAST(${worker} AS text)`,
  })
  return dialect.orServerTime(sql`UPDATE notewire_integrations SET record = ${taken} WHERE integration = ${candidate}
    RETURNING ${takenRow(dialect)}`)
}

/** Finds the integration whose hint has waited longest for the worker that has it. */
export function findHinted({ now, waitingSince, except }: HintedRequest, dialect: Dialect): Sql {
  return sql`SELECT ${takenRow(dialect)} FROM notewire_integrations
    WHERE rank = ${constant(RANKS.hint)} AND due_at <= ${waitingSince} AND lease_until > ${now} AND record ->> 'state' = 'active'
    ${exclusions({ except }, dialect)}
    ORDER BY due_at LIMIT 1`
}

function takenRow({ object, json, copyOf, serverTime }: Dialect): Sql {
  return resultOf(object({ record: json(sql`record`), copy: copyOf(sql`integration`), serverTime }))
}
