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

/** @param maxRecords  the maximum number of processed events and revisions */
export class MemoryStore implements ReceiverStore {
  readonly #clock: Clock
  readonly #maxRecords: number
  readonly #rows = new Map<string, Row>()
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
    const keys = keysOf(request)
    const [event, note] = keys.map((key) => this.#rows.get(key))
    // A lease that ends later was written before the clock was set back.
    const isLeased = [event, note].some((row) => isWithin(row?.lease?.endsAt, now, now + 2 * request.leaseMs))
    const isProcessed = event?.keptUntil !== undefined
    const isForgotten = event?.isForgotten === true
    const known = { applied: note?.applied, isProcessed, isForgotten, isLeased, ...NO_VERSIONS }
    const look = lookResult(request, known)
    if (look.status !== 'new') return look

    this.#claims += 1
    const lease = { fencingToken: String(this.#claims), endsAt: now + request.leaseMs }
    for (const key of keys) {
      const row = this.#rows.get(key)
      if (row === undefined)
        this.#rows.set(key, { lease, keptUntil: undefined, isForgotten: false, applied: undefined })
      else row.lease = lease
    }
    return { status: 'claimed', claim: { request, fencingToken: lease.fencingToken, applied: note?.applied } }
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const [event] = this.#heldBy(claim)
    if (event?.lease === undefined) return 'lost'
    // The row of the note has the same lease.
    event.lease.endsAt = monotonicNow(this.#clock) + leaseMs
    return 'renewed'
  }

  commit(claim: Claim): CommitResult {
    const [event, note] = this.#heldBy(claim)
    if (event === undefined) return 'lost'
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
    if (this.#heldBy(claim).length > 0) this.#endLease(claim)
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const [event] = keysOf({ integration, eventId }).map((key) => this.#rows.get(key))
    if (event?.keptUntil === undefined || event.isForgotten) return 'unknown'
    event.isForgotten = true
    return 'forgotten'
  }

  async prune(): Promise<number> {
    return this.#removeExpired(monotonicNow(this.#clock))
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
    const ends = Float64Array.from([...this.#rows.values()].flatMap(({ keptUntil }) => keptUntil ?? [])).sort()
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
    for (const [key, row] of this.#rows) {
      if (!isWithin(row.lease?.endsAt, now)) row.lease = undefined
      if (isWithin(row.keptUntil, endedBy)) continue
      removed += Number(row.keptUntil !== undefined)
      if (row.lease === undefined) this.#rows.delete(key)
      else Object.assign(row, { keptUntil: undefined, isForgotten: false, applied: undefined })
    }
    this.#recordCount -= removed
    return removed
  }

  /** The rows that a claim holds: none if the claim has ended, or another worker has claimed its event or note. */
  #heldBy({ request, fencingToken }: Claim): readonly Row[] {
    const rows = keysOf(request).map((key) => this.#rows.get(key))
    const held = rows.filter((row) => row?.lease?.fencingToken === fencingToken)
    return held.length === rows.length ? held.filter((row) => row !== undefined) : []
  }

  #endLease({ request }: Claim): void {
    for (const key of keysOf(request)) {
      const row = this.#rows.get(key)
      if (row?.keptUntil === undefined) this.#rows.delete(key)
      else row.lease = undefined
    }
  }
}

/** No other worker can change a record between the check and the claim. */
const NO_VERSIONS = { eventVersion: undefined, noteVersion: undefined }

/** The keys of an event and of its note. The id of an integration contains no space. */
function keysOf({ integration, eventId, note }: Pick<ClaimRequest, 'integration' | 'eventId' | 'note'>): string[] {
  const event = `${integration} event ${eventId}`
  return note === undefined ? [event] : [event, `${integration} note ${note.noteId}`]
}

function isWithin(time: number | undefined, after: number, until = Number.POSITIVE_INFINITY): boolean {
  return time !== undefined && time > after && time <= until
}
