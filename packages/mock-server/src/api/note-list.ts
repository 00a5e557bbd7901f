import { parseTime } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { sentResource } from '../variants/sent-fields.ts'
import type { Integration } from '../world/integration.ts'
import type { NoteRecord } from '../world/note.ts'
import type { ApiContext } from './authorisation.ts'
import { granularityMs, noteResource } from './note-resources.ts'
import { Problem } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

interface Position {
  /** The sequence of the last listed note, or -1 at the beginning. */
  readonly after: number
  readonly emptyPages: number
}

const PARAMETERS = ['limit', 'cursor', 'updated_after', 'include_deleted']
const START: Position = { after: -1, emptyPages: 0 }
const LIMIT = { least: 1, default: 50, most: 100 }
const LAST_CURSOR = { null: { next_cursor: null }, empty: { next_cursor: '' }, absent: {} }

/** One page of the list of notes (contract §4; open points 1, 5, 6 and 7). */
export function notePage({ timeline, contract }: ServiceParts, cursors: Cursors, context: ApiContext): object {
  const query = singleParameters(context.req.queries())
  const fault = context.get('pageFault')
  const integration = context.get('integration')
  const { cursor } = query
  const now = timeline.now()
  const request = readQuery(query, contract)
  const position = cursor === undefined ? START : cursors.read(cursor, integration, now)
  const next = (at: Position) => ({ next_cursor: cursors.write(at, integration, now) })
  const page = (notes: readonly NoteRecord[], cursor: object, has_more: boolean) => ({
    [contract.notesField]: notes.map((note) => sentResource(noteResource(note, contract), contract)),
    ...cursor,
    has_more,
  })

  const emptyPageIsDue = contract.emptyPages && cursor !== undefined && position.emptyPages === 0
  if (emptyPageIsDue || fault?.kind === 'empty_page') {
    return page([], next({ ...position, emptyPages: position.emptyPages + 1 }), true)
  }
  const limit = Math.min(request.limit, fault === undefined ? LIMIT.most : (fault.notes ?? 1))
  const { places } = integration
  const { notes, hasMore } = context.get('world').notes.list({ ...request, places, after: position.after, limit })
  if (contract.repeatingCursor && cursor !== undefined) return page(notes, { next_cursor: cursor }, true)
  if (!hasMore) return page(notes, LAST_CURSOR[contract.lastCursor], false)
  return page(notes, next({ after: notes.at(-1)?.sequence ?? position.after, emptyPages: 0 }), true)
}

type Cursors = ReturnType<typeof cursorsOf>

const CURSOR = /^(?<next>[0-9a-z]+)-(?<emptyPages>[0-9a-z]+)-(?<issuedAt>[0-9a-z]+)\./

/** Writes and reads cursors. A cursor is opaque, and ends with a checksum, so that a made-up cursor is rejected (open point 6). */
export function cursorsOf(random: SeededRandom, { cursorLifetime }: Contract) {
  function write({ after, emptyPages }: Position, { integration_id }: Integration, now: number): string {
    const state = [after + 1, emptyPages, now].map((part) => part.toString(36)).join('-')
    return `${state}.${random.fork(`${integration_id}/${state}`).text(12)}`
  }

  function read(cursor: string, integration: Integration, now: number): Position {
    const { next = '', emptyPages = '', issuedAt = '' } = CURSOR.exec(cursor)?.groups ?? {}
    const position = { after: Number.parseInt(next, 36) - 1, emptyPages: Number.parseInt(emptyPages, 36) }
    const issued = Number.parseInt(issuedAt, 36)
    const isValid = next !== '' && cursor === write(position, integration, issued)
    if (isValid && (cursorLifetime === 'unlimited' || now - issued <= durationMs(cursorLifetime))) return position
    const message =
      'The API did not issue this cursor to this API key. Send next_cursor unchanged, or start without a cursor.'
    throw new Problem(400, { code: 'invalid_cursor', message })
  }

  return { write, read }
}

function singleParameters(query: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  const repeated = PARAMETERS.find((name) => (query[name]?.length ?? 0) > 1)
  if (repeated !== undefined) throw invalidParameter(repeated, 'must not be repeated')
  return Object.fromEntries(Object.entries(query).map(([name, [value = '']]) => [name, value]))
}

function readQuery(query: Readonly<Record<string, string>>, contract: Contract) {
  return {
    limit: readLimit(query['limit'], contract),
    includeDeleted: readFlag('include_deleted', query['include_deleted']),
    updatedFrom: firstInstantAfter(readTimestamp('updated_after', query['updated_after']), contract),
  }
}

function readLimit(text: string | undefined, { limitOutOfRange }: Contract): number {
  if (text === undefined) return LIMIT.default
  const limit = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  const nearest = Math.min(Math.max(limit, LIMIT.least), LIMIT.most)
  if (limit === nearest || (limitOutOfRange === 'capped' && !Number.isNaN(limit))) return nearest
  throw invalidParameter('limit', `must be a whole number from ${LIMIT.least} to ${LIMIT.most}`)
}

function readFlag(name: string, text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidParameter(name, 'must be "true" or "false"')
}

function readTimestamp(name: string, text: string | undefined): number {
  if (text === undefined) return Number.NEGATIVE_INFINITY
  const time = parseTime(text)
  if (time !== undefined && time >= 0 && text.endsWith('Z')) return time
  throw invalidParameter(name, 'must be an ISO 8601 timestamp in UTC, such as "2026-01-01T00:00:00Z"')
}

/** The first instant that counts as after `time`, at the precision of the service's timestamps (open point 7). */
function firstInstantAfter(time: number, { updatedAfter, timestamps }: Contract): number {
  const step = granularityMs(timestamps)
  return updatedAfter === 'exclusive' ? Math.floor(time / step) * step + step : Math.ceil(time / step) * step
}

function invalidParameter(name: string, rule: string): Problem {
  return new Problem(400, { code: 'invalid_parameter', message: `The parameter "${name}" ${rule}.` })
}
