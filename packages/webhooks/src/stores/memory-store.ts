import { type Clock, monotonicNow, refuseUnknownOptions, refuseWithoutMethods, systemClock } from '@notewire/protocol'
import { type AppliedRevision, raiseRevision } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { lookResult } from './look-result.ts'

const PRUNE_EVERY_MS = 3_600_000
/** The maximum number of processed events and revisions, of all integrations together. */
const MAX_RECORDS = 1_000_000

/**
 * A store in the memory of one process: for development, for tests, and for a single instance that may process events again after a
 * restart. In all other cases, use a store outside the process.
 *
 * It keeps at most 1,000,000 records: the processed events and the revisions of notes, of all integrations together. If there are more, it
 * removes the expired ones and, if that is not enough, a tenth of the others, the oldest first. It then takes a duplicate of a removed event
 * for a new event. Otherwise it would accept no event until a record expires, and the service would disable the endpoint.
 *
 * @throws OptionError for an unknown option or an invalid clock
 */
export function memoryStore(options: { readonly clock?: Clock | undefined } = {}): ReceiverStore {
  refuseUnknownOptions('memoryStore', options, { clock: true })
  const { clock = systemClock } = options
  refuseWithoutMethods('clock', clock, ['now'])
  return new MemoryStore(clock)
}

interface Row {
  lease: { readonly fencingToken: string; endsAt: number } | undefined
  /** Set by the first commit. */
  keptUntil: number | undefined
  /** Of an event: whether `forget` was called, so that it can be processed again. */
  isForgotten: boolean
  /** Of a note. */
  applied: AppliedRevision | undefined
}

/** The rows of one integration, by the ids of events and notes. */
interface Rows {
  readonly events: Map<string, Row>
  readonly notes: Map<string, Row>
}

/** @param maxRecords  the maximum number of processed events and revisions */
export class MemoryStore implements ReceiverStore {
  readonly #clock: Clock
  readonly #maxRecords: number
  readonly #integrations = new Map<string, Rows>()
  #claims = 0
  /** The number of rows with a commit. Claims in progress do not count. */
  #recordCount = 0
  #prunedAt: number

  constructor(clock: Clock, maxRecords = MAX_RECORDS) {
    this.#clock = clock
    this.#maxRecords = maxRecords
    this.#prunedAt = monotonicNow(clock)
  }

  claim(request: ClaimRequest): ClaimResult {
    const now = monotonicNow(this.#clock)
    if (now - this.#prunedAt >= PRUNE_EVERY_MS) this.#removeExpired(now)
    const { events, notes } = this.#rowsOf(request.integration)
    const event = events.get(request.eventId)
    const note = request.note && notes.get(request.note.noteId)
    const look = lookResult(request, {
      applied: note?.applied,
      isProcessed: event?.keptUntil !== undefined,
      isForgotten: event?.isForgotten === true,
      isLeased: isLeased(event, request, now) || isLeased(note, request, now),
      // No other worker can change a row between the check and the claim.
      eventVersion: undefined,
      noteVersion: undefined,
    })
    if (look.status !== 'new') return look

    this.#claims += 1
    const lease = { fencingToken: String(this.#claims), endsAt: now + request.leaseMs }
    lend(events, request.eventId, lease)
    if (request.note !== undefined) lend(notes, request.note.noteId, lease)
    return { status: 'claimed', claim: { request, fencingToken: lease.fencingToken, applied: note?.applied } }
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const lease = this.#heldBy(claim)?.event.lease
    if (lease === undefined) return 'lost'
    // The row of the note has the same lease.
    lease.endsAt = monotonicNow(this.#clock) + leaseMs
    return 'renewed'
  }

  commit(claim: Claim): CommitResult {
    const held = this.#heldBy(claim)
    if (held === undefined) return 'lost'
    const { event, note } = held
    const { note: claimed, keepMs } = claim.request
    const now = monotonicNow(this.#clock)
    this.#keep(event, now + keepMs)
    event.isForgotten = false
    if (note !== undefined && claimed?.change !== undefined) {
      this.#keep(note, now + keepMs)
      note.applied = raiseRevision(claim.applied, claimed.change)
    }
    this.#endLease(claim)
    if (this.#recordCount > this.#maxRecords) this.#makeRoom(now)
    return 'committed'
  }

  async release(claim: Claim): Promise<void> {
    if (this.#heldBy(claim) !== undefined) this.#endLease(claim)
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const event = this.#rowsOf(integration).events.get(eventId)
    if (event?.keptUntil === undefined || event.isForgotten) return 'unknown'
    event.isForgotten = true
    return 'forgotten'
  }

  async prune(): Promise<number> {
    return this.#removeExpired(monotonicNow(this.#clock))
  }

  #rowsOf(integration: string): Rows {
    let rows = this.#integrations.get(integration)
    if (rows === undefined) {
      rows = { events: new Map(), notes: new Map() }
      this.#integrations.set(integration, rows)
    }
    return rows
  }

  #keep(row: Row, until: number): void {
    this.#recordCount += Number(row.keptUntil === undefined)
    // Whole milliseconds take less memory.
    row.keptUntil = Math.max(Math.floor(until), row.keptUntil ?? 0)
  }

  /** Removes expired records and, if that is not enough, a tenth of the others. */
  #makeRoom(now: number): void {
    this.#removeExpired(now)
    if (this.#recordCount <= this.#maxRecords) return
    const tables = [...this.#integrations.values()].flatMap(({ events, notes }) => [events, notes])
    const kept = tables.flatMap((rows) => [...rows.values()].flatMap(({ keptUntil }) => keptUntil ?? []))
    const ends = Float64Array.from(kept).sort()
    this.#removeExpired(now, ends[Math.floor(ends.length / 10)])
  }

  /**
   * Removes expired leases and records. A row with a lease stays.
   *
   * @param endedBy  removes the records that expire until then as well
   * @returns how many of the records were committed
   */
  #removeExpired(now: number, endedBy = now): number {
    this.#prunedAt = now
    let removed = 0
    for (const [integration, { events, notes }] of this.#integrations) {
      removed += removeExpired(events, now, endedBy) + removeExpired(notes, now, endedBy)
      if (events.size + notes.size === 0) this.#integrations.delete(integration)
    }
    this.#recordCount -= removed
    return removed
  }

  /** The rows that a claim holds. `undefined` if the claim has ended, or another worker has claimed its event or note. */
  #heldBy({ request, fencingToken }: Claim): { readonly event: Row; readonly note: Row | undefined } | undefined {
    const { events, notes } = this.#rowsOf(request.integration)
    const event = events.get(request.eventId)
    const note = request.note && notes.get(request.note.noteId)
    if (event?.lease?.fencingToken !== fencingToken) return undefined
    if (request.note !== undefined && note?.lease?.fencingToken !== fencingToken) return undefined
    return { event, note }
  }

  #endLease({ request }: Claim): void {
    const { events, notes } = this.#rowsOf(request.integration)
    endLease(events, request.eventId)
    if (request.note !== undefined) endLease(notes, request.note.noteId)
  }
}

function isLeased(row: Row | undefined, { leaseMs }: ClaimRequest, now: number): boolean {
  // A lease that ends later was written before the clock was set back.
  return isWithin(row?.lease?.endsAt, now, now + 2 * leaseMs)
}

function lend(rows: Map<string, Row>, id: string, lease: Row['lease']): void {
  const row = rows.get(id)
  if (row === undefined) rows.set(id, { lease, keptUntil: undefined, isForgotten: false, applied: undefined })
  else row.lease = lease
}

function endLease(rows: Map<string, Row>, id: string): void {
  const row = rows.get(id)
  if (row?.keptUntil === undefined) rows.delete(id)
  else row.lease = undefined
}

function removeExpired(rows: Map<string, Row>, now: number, endedBy: number): number {
  let removed = 0
  for (const [id, row] of rows) {
    if (!isWithin(row.lease?.endsAt, now)) row.lease = undefined
    if (isWithin(row.keptUntil, endedBy)) continue
    removed += Number(row.keptUntil !== undefined)
    if (row.lease === undefined) rows.delete(id)
    else Object.assign(row, { keptUntil: undefined, isForgotten: false, applied: undefined })
  }
  return removed
}

function isWithin(time: number | undefined, after: number, until = Number.POSITIVE_INFINITY): boolean {
  return time !== undefined && time > after && time <= until
}
