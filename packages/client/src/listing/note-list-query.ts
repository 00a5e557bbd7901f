import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { CALL_OPTIONS } from '../options/call-options.ts'

/** Which notes to list. The names are those of the query parameters (contract §4; open points 5 to 7). */
export interface NoteListQuery {
  /** Notes on a page. The service decides what it accepts: 1 to 100 is safe. */
  readonly limit?: number | undefined
  /** The `next_cursor` of an earlier page, to continue after it. */
  readonly cursor?: string | undefined
  /** Only notes changed since then: a `Date`, or ISO 8601 text in UTC, which is sent unchanged. */
  readonly updated_after?: string | Date | undefined
  /** Whether deletion markers are listed too; `isTombstone` tells them apart. @default false */
  readonly include_deleted?: boolean | undefined
}

/**
 * Encodes a query.
 *
 * @throws `OptionError` for an invalid cursor or date, and for an unknown name, which would silently list too much
 */
export function encodeNoteListQuery(query: NoteListQuery): URLSearchParams {
  refuseCallOptions('notes.list', query, CALL_OPTIONS)
  refuseUnknownOptions('notes.list', query, { limit: true, cursor: true, updated_after: true, include_deleted: true })
  const { limit, cursor, updated_after, include_deleted } = query
  const parameters = new URLSearchParams()
  if (limit !== undefined) parameters.set('limit', `${requireLimit(limit)}`)
  if (cursor !== undefined) parameters.set('cursor', requireCursor(cursor))
  if (updated_after !== undefined) parameters.set('updated_after', encodeTime(updated_after))
  if (include_deleted !== undefined) parameters.set('include_deleted', `${requireBoolean(include_deleted)}`)
  return parameters
}

/**
 * Refuses the options of a call in its query.
 *
 * @throws `OptionError`
 */
export function refuseCallOptions(call: string, query: object, options: readonly string[]): void {
  const option = options.find((each) => Object.hasOwn(query ?? {}, each))
  if (option === undefined) return
  throw new OptionError(
    option,
    `"${option}" is an option, not a part of the query. Pass it in the second argument: ${call}({ … }, { ${option} }).`,
  )
}

function requireLimit(limit: unknown): number {
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit
  throw new OptionError('limit', 'limit is not a whole number of at least 1. Pass the number of notes on a page.')
}

function requireBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  // The text of a variable, such as 'false', would count as true elsewhere.
  throw new OptionError('include_deleted', 'include_deleted is not a boolean. Pass true or false, or omit it.')
}

function requireCursor(cursor: unknown): string {
  // An empty cursor would start again from the first page, and a loop over pages would never end.
  if (typeof cursor === 'string' && cursor !== '') return cursor
  throw new OptionError('cursor', 'cursor is not valid. Pass the next_cursor of a page whose has_more is true.')
}

function encodeTime(time: string | Date): string {
  if (typeof time === 'string') return time
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new OptionError('updated_after', 'updated_after is not a valid date. Pass a Date, or ISO 8601 text in UTC.')
}
