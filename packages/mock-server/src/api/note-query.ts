import type { Contract } from '../variants/contract-variants.ts'
import { granularityMs } from './note-resources.ts'
import { invalidParameter } from './problem.ts'

/** The query of the list of notes, without the cursor (contract §4; open points 5 and 7). */
interface NoteQuery {
  readonly limit: number
  readonly includeDeleted: boolean
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly updatedFrom: number
}

const LIMIT = { least: 1, default: 50, most: 100 }

/** @throws a 400 that names the parameter */
export function readNoteQuery(query: Readonly<Record<string, string>>, contract: Contract): NoteQuery {
  return {
    limit: readLimit(query['limit'], contract),
    includeDeleted: readFlag('include_deleted', query['include_deleted']),
    updatedFrom: firstInstantAfter(readTimestamp('updated_after', query['updated_after']), contract),
  }
}

function readLimit(text: string | undefined, { limitOutOfRange }: Contract): number {
  if (text === undefined) return LIMIT.default
  const limit = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  if (limit >= LIMIT.least && limit <= LIMIT.most) return limit
  if (limitOutOfRange === 'capped' && !Number.isNaN(limit)) return limit < LIMIT.least ? LIMIT.least : LIMIT.most
  throw invalidParameter('limit', `must be a whole number from ${LIMIT.least} to ${LIMIT.most}`)
}

function readFlag(name: string, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw invalidParameter(name, 'must be "true" or "false"')
}

const UTC_TIMESTAMP = /^(?<toSeconds>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/

function readTimestamp(name: string, text: string | undefined): number {
  if (text === undefined) return Number.NEGATIVE_INFINITY
  const { toSeconds } = UTC_TIMESTAMP.exec(text)?.groups ?? {}
  const time = toSeconds === undefined ? Number.NaN : Date.parse(text)
  // Date.parse turns 30 February into 2 March.
  if (toSeconds !== undefined && time >= 0 && new Date(time).toISOString().startsWith(toSeconds)) return time
  throw invalidParameter(name, 'must be an ISO 8601 timestamp in UTC, such as "2026-01-01T00:00:00Z"')
}

/** The first instant that counts as after `time`, at the precision of the service's timestamps (open point 7). */
function firstInstantAfter(time: number, { updatedAfter, timestamps }: Contract): number {
  const step = granularityMs(timestamps)
  return updatedAfter === 'exclusive' ? Math.floor(time / step) * step + step : Math.ceil(time / step) * step
}
