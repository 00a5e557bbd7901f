import { type Clock, monotonicNow, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { refuseWithoutMethods } from '../interfaces/refuse-without-methods.ts'
import { type AppliedRevision, passRevisionGate, raiseRevision } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, CommitResult, ReceiverStore } from '../interfaces/store.ts'

const PRUNE_EVERY_MS = 3_600_000

interface Lease {
  readonly fencingToken: string
  endsAt: number
}

type Kept<Value> = Value & { readonly keptUntil: number }

/** What is known of one integration. Events are kept by their id, notes by theirs. */
interface IntegrationMemory {
  readonly processed: Map<string, Kept<{ readonly forgotten: boolean }>>
  readonly applied: Map<string, Kept<AppliedRevision>>
  readonly eventLeases: Map<string, Lease>
  readonly noteLeases: Map<string, Lease>
}

/**
 * A store in the memory of one process: for development, for tests, and for a single instance that may forget what it
 * processed when it restarts. Everywhere else, use a store that lives outside the process.
 *
 * @throws OptionError for an unknown option, or a clock that is none
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

class MemoryStore implements ReceiverStore {
  readonly #clock: Clock
  readonly #integrations = new Map<string, IntegrationMemory>()
  #claims = 0
  #prunedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#prunedAt = monotonicNow(clock)
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { eventId, note } = request
    const memory = this.#memoryOf(request.integration)
    const processed = memory.processed.get(eventId)
    if (processed?.forgotten === false) return { status: 'duplicate' }

    // What was forgotten on purpose is to pass, whatever its revision.
    const change = processed === undefined ? note?.change : undefined
    const applied = note && memory.applied.get(note.noteId)
    if (change !== undefined && applied !== undefined && passRevisionGate(request.gate, change, applied) === 'stale') {
      return { status: 'stale', appliedRevision: applied.revision }
    }

    const now = monotonicNow(this.#clock)
    if (lasts(memory.eventLeases.get(eventId), now)) return { status: 'busy' }
    if (note !== undefined && lasts(memory.noteLeases.get(note.noteId), now)) return { status: 'busy' }

    this.#claims += 1
    const lease = { fencingToken: String(this.#claims), endsAt: now + request.leaseMs }
    memory.eventLeases.set(eventId, lease)
    if (note !== undefined) memory.noteLeases.set(note.noteId, lease)
    return { status: 'claimed', claim: { request, fencingToken: lease.fencingToken } }
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const lease = this.#currentLease(claim)
    if (lease === undefined) return 'lost'
    lease.endsAt = monotonicNow(this.#clock) + leaseMs
    return 'renewed'
  }

  async commit(claim: Claim): Promise<CommitResult> {
    if (this.#currentLease(claim) === undefined) return 'lost'
    const { eventId, note, keepMs, integration } = claim.request
    const { processed, applied } = this.#memoryOf(integration)
    const now = monotonicNow(this.#clock)
    const keptUntilAfter = (before: { readonly keptUntil: number } | undefined) =>
      Math.max(now + keepMs, before?.keptUntil ?? 0)
    processed.set(eventId, { keptUntil: keptUntilAfter(processed.get(eventId)), forgotten: false })
    if (note?.change !== undefined) {
      const before = applied.get(note.noteId)
      const keptUntil = keptUntilAfter(before)
      applied.set(note.noteId, { ...raiseRevision(before, note.change), keptUntil })
    }
    this.#dropLease(claim)
    if (now - this.#prunedAt >= PRUNE_EVERY_MS) await this.prune()
    return 'committed'
  }

  async release(claim: Claim): Promise<void> {
    if (this.#currentLease(claim) !== undefined) this.#dropLease(claim)
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const { processed } = this.#memoryOf(integration)
    const mark = processed.get(eventId)
    if (mark === undefined || mark.forgotten) return 'unknown'
    processed.set(eventId, { ...mark, forgotten: true })
    return 'forgotten'
  }

  async prune(): Promise<number> {
    const now = monotonicNow(this.#clock)
    this.#prunedAt = now
    let removed = 0
    for (const { processed, applied, eventLeases, noteLeases } of this.#integrations.values()) {
      removed += dropFrom(processed, ({ keptUntil }) => keptUntil <= now)
      removed += dropFrom(applied, ({ keptUntil }) => keptUntil <= now)
      // Those of claims that were abandoned: nobody ended them.
      for (const leases of [eventLeases, noteLeases]) dropFrom(leases, (lease) => !lasts(lease, now))
    }
    return removed
  }

  /** The lease of a claim that nobody has taken over, on its event and on its note. */
  #currentLease({ request: { integration, eventId, note }, fencingToken }: Claim): Lease | undefined {
    const { eventLeases, noteLeases } = this.#memoryOf(integration)
    const lease = eventLeases.get(eventId)
    if (lease?.fencingToken !== fencingToken) return undefined
    return note === undefined || noteLeases.get(note.noteId) === lease ? lease : undefined
  }

  #dropLease({ request: { integration, eventId, note } }: Claim): void {
    const { eventLeases, noteLeases } = this.#memoryOf(integration)
    eventLeases.delete(eventId)
    if (note !== undefined) noteLeases.delete(note.noteId)
  }

  #memoryOf(integration: string): IntegrationMemory {
    let memory = this.#integrations.get(integration)
    if (memory === undefined) {
      memory = { processed: new Map(), applied: new Map(), eventLeases: new Map(), noteLeases: new Map() }
      this.#integrations.set(integration, memory)
    }
    return memory
  }
}

function lasts(lease: Lease | undefined, now: number): boolean {
  return lease !== undefined && lease.endsAt > now
}

function dropFrom<Value>(kept: Map<string, Value>, isOver: (value: Value) => boolean): number {
  let dropped = 0
  for (const [key, value] of kept) if (isOver(value) && kept.delete(key)) dropped += 1
  return dropped
}
