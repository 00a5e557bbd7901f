import { join, type Sql } from 'sql-template-tag'
import type { TimeRange } from '../../integrations/taking-order.ts'
import { sql } from './sql.ts'

/** The condition that a time is one of those. */
export function isIn(time: Sql, { after, by }: TimeRange): Sql {
  const isAfter = after === null ? [] : [sql`${time} > ${after}`]
  const isInTime = by === null ? [] : [sql`${time} <= ${by}`]
  return join([...isAfter, ...isInTime], ' AND ')
}

export function isInAny(time: Sql, ranges: readonly TimeRange[]): Sql {
  return sql`(${join(
    ranges.map((range) => isIn(time, range)),
    ' OR ',
  )})`
}
