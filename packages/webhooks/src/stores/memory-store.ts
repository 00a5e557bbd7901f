import { type Clock, monotonicNow, refuseUnknownOptions, refuseWithoutMethods, systemClock } from '@notewire/protocol'
import { type AppliedRevision, passRevisionGate, raiseRevision } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../interfaces/store.ts'

const PRUNE_EVERY_MS = 3_600_000
/** The maximum number of processed events and revisions, of all integrations together. */
const MAX_RECORDS = 1_000_000

interface Lease {
  readonly fencingToken: string
  endsAt: number
}

/** The record of an event. */
interface EventRecord {
  lease: Lease | undefined
  /** Set by the first commit. */
  keptUntil: number | undefined
  /** Whether `forget` was called: the event can be processed again. */
  isForgotten: boolean
}

/** The record of a note. */
interface NoteRecord {
  lease: Lease | undefined
  applied: AppliedRevision | undefined
  /** Set by the first commit that raises the revision. */
  keptUntil: number | undefined
}

/** The events and notes of one integration, by their ids. */
interface IntegrationMemory {
  readonly events: Map<string, EventRecord>
  readonly notes: Map<string, NoteRecord>
}

/**
 * A store in the memory of one process: for development, for tests, and for a single instance that may process events again after a
 * restart. In all other cases, use a store outside the process.
 *
 * It keeps at most 1,000,000 records: the processed events and the revisions of notes, of all integrations together. If there are more, it
 * removes the expired ones and, if that is not enough, a tenth of the others, the oldest first. It then takes a duplicate of a removed event
 * for a new event. Otherwise it would accept no event until a record expires, and the service would disable the endpoint.
 *
 * @throws OptionError for an unknown option or an invalid clock
 * @example
 * ```ts
 * import { createReceiver, memoryStore } from '@notewire/webhooks'
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store: memoryStore(),
 *   on: { 'note.deleted': ({ data }) => console.log(data.note_id, 'is gone') },
 * })
 * ```
 */
export function memoryStore(options: { readonly clock?: Clock | undefined } = {}): ReceiverStore {
  refuseUnknownOptions('memoryStore', options, ['clock'])
  const { clock = systemClock } = options
  refuseWithoutMethods('clock', clock, ['now'])
  return new MemoryStore(clock)
}

/** The lease and the records of a claim. */
interface Held {
  readonly lease: Lease
  readonly event: EventRecord
  readonly note: NoteRecord | undefined
}

/** @param maxRecords  the maximum number of processed events and revisions */
export class MemoryStore implements ReceiverStore {
  readonly #clock: Clock
  readonly #maxRecords: number
  readonly #integrations = new Map<string, IntegrationMemory>()
  #claims = 0
  /** The number of processed events and revisions. Claims in progress do not count. */
  #recordCount = 0
  #prunedAt: number

  constructor(clock: Clock, maxRecords = MAX_RECORDS) {
    this.#clock = clock
    this.#maxRecords = maxRecords
    this.#prunedAt = monotonicNow(clock)
  }

  claim(request: ClaimRequest): ClaimResult {
    const { eventId, note, gate, leaseMs } = request
    const now = monotonicNow(this.#clock)
    this.#pruneIfDue(now)
    const { events, notes } = this.#memoryOf(request.integration)
    const event = events.get(eventId) ?? { lease: undefined, keptUntil: undefined, isForgotten: false }
    const isProcessed = event.keptUntil !== undefined
    if (isProcessed && !event.isForgotten) return { status: 'duplicate' }

    const noteRecord =
      note && (notes.get(note.noteId) ?? { lease: undefined, applied: undefined, keptUntil: undefined })
    const applied = noteRecord?.applied
    // The revision gate does not apply to a forgotten event.
    const change = isProcessed ? undefined : note?.change
    if (change !== undefined && applied !== undefined && passRevisionGate(gate, change, applied) === 'stale') {
      return { status: 'stale', appliedRevision: applied.revision }
    }

    const isLive = (lease: Lease | undefined) => isUnexpired(lease, now) && !isAhead(lease, now + 2 * leaseMs)
    if (isLive(event.lease) || isLive(noteRecord?.lease)) return { status: 'busy' }

    this.#claims += 1
    const lease = { fencingToken: String(this.#claims), endsAt: now + leaseMs }
    event.lease = lease
    events.set(eventId, event)
    if (note !== undefined && noteRecord !== undefined) {
      noteRecord.lease = lease
      notes.set(note.noteId, noteRecord)
    }
    return { status: 'claimed', claim: { request, fencingToken: lease.fencingToken, applied } }
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const held = this.#heldBy(claim)
    if (held === undefined) return 'lost'
    held.lease.endsAt = monotonicNow(this.#clock) + leaseMs
    return 'renewed'
  }

  commit(claim: Claim): CommitResult {
    const held = this.#heldBy(claim)
    if (held === undefined) return 'lost'
    const { event, note } = held
    const { note: claimedNote, keepMs } = claim.request
    const now = monotonicNow(this.#clock)
    // Whole milliseconds take less memory.
    const keptUntil = Math.floor(now + keepMs)
    event.isForgotten = false
    this.#recordCount += Number(event.keptUntil === undefined)
    event.keptUntil = Math.max(keptUntil, event.keptUntil ?? 0)
    if (note !== undefined && claimedNote?.change !== undefined) {
      this.#recordCount += Number(note.keptUntil === undefined)
      note.applied = raiseRevision(note.applied, claimedNote.change)
      note.keptUntil = Math.max(keptUntil, note.keptUntil ?? 0)
    }
    this.#endLease(claim, held)
    if (this.#recordCount > this.#maxRecords) this.#makeRoom(now)
    return 'committed'
  }

  async release(claim: Claim): Promise<void> {
    const held = this.#heldBy(claim)
    if (held !== undefined) this.#endLease(claim, held)
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const event = this.#memoryOf(integration).events.get(eventId)
    if (event?.keptUntil === undefined || event.isForgotten) return 'unknown'
    event.isForgotten = true
    return 'forgotten'
  }

  async prune(): Promise<number> {
    return this.#removeExpired(monotonicNow(this.#clock))
  }

  #pruneIfDue(now: number): void {
    if (now - this.#prunedAt >= PRUNE_EVERY_MS) this.#removeExpired(now)
  }

  /** Removes expired records and, if that is not enough, a tenth of the others. */
  #makeRoom(now: number): void {
    this.#removeExpired(now)
    if (this.#recordCount <= this.#maxRecords) return
    const ends = Float64Array.from(this.#recordEnds()).sort()
    this.#removeExpired(now, ends[Math.floor(ends.length / 10)])
  }

  *#recordEnds(): Generator<number> {
    for (const { events, notes } of this.#integrations.values()) {
      for (const records of [events, notes]) {
        for (const { keptUntil } of records.values()) if (keptUntil !== undefined) yield keptUntil
      }
    }
  }

  /** @param endedBy  removes the records that expire until then as well */
  #removeExpired(now: number, endedBy = now): number {
    this.#prunedAt = now
    let removed = 0
    for (const [integration, { events, notes }] of this.#integrations) {
      removed += pruneRecords(events, now, endedBy) + pruneRecords(notes, now, endedBy)
      if (events.size + notes.size === 0) this.#integrations.delete(integration)
    }
    this.#recordCount -= removed
    return removed
  }

  /** The records that a claim holds; `undefined` if the claim has ended, or another worker has claimed its event or note. */
  #heldBy({ request: { integration, eventId, note: claimed }, fencingToken }: Claim): Held | undefined {
    const { events, notes } = this.#memoryOf(integration)
    const event = events.get(eventId)
    const lease = event?.lease
    if (event === undefined || lease?.fencingToken !== fencingToken) return undefined
    const note = claimed && notes.get(claimed.noteId)
    if (claimed !== undefined && note?.lease !== lease) return undefined
    return { lease, event, note }
  }

  #endLease({ request: { integration, eventId, note: claimed } }: Claim, { event, note }: Held): void {
    const { events, notes } = this.#memoryOf(integration)
    event.lease = undefined
    if (event.keptUntil === undefined) events.delete(eventId)
    if (note === undefined || claimed === undefined) return
    note.lease = undefined
    if (note.keptUntil === undefined) notes.delete(claimed.noteId)
  }

  #memoryOf(integration: string): IntegrationMemory {
    let memory = this.#integrations.get(integration)
    if (memory === undefined) {
      memory = { events: new Map(), notes: new Map() }
      this.#integrations.set(integration, memory)
    }
    return memory
  }
}

function isUnexpired(lease: Lease | undefined, now: number): boolean {
  return lease !== undefined && lease.endsAt > now
}

/** Whether a lease was written before the clock was set back. */
function isAhead(lease: Lease | undefined, latestEnd: number): boolean {
  return lease !== undefined && lease.endsAt > latestEnd
}

/** Removes expired leases and records, and returns how many of the records were committed. A record with a lease stays. */
function pruneRecords(records: Map<string, EventRecord | NoteRecord>, now: number, endedBy: number): number {
  let removed = 0
  for (const [id, record] of records) {
    const { keptUntil } = record
    if (!isUnexpired(record.lease, now)) record.lease = undefined
    if (keptUntil !== undefined && keptUntil > endedBy) continue
    if (keptUntil !== undefined) removed += 1
    if (record.lease !== undefined) clearCommit(record)
    else records.delete(id)
  }
  return removed
}

function clearCommit(record: EventRecord | NoteRecord): void {
  record.keptUntil = undefined
  if ('applied' in record) record.applied = undefined
  else record.isForgotten = false
}
