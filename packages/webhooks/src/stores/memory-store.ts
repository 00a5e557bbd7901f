import { type Clock, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { type AppliedRevision, passRevisionGate, raiseRevision } from '../receiver/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult, ReceiverStore } from './store.ts'

const PRUNE_EVERY_MS = 3_600_000

interface Lease {
  readonly fencingToken: string
  endsAt: number
}

type Kept<Value> = Value & { readonly keptUntil: number }

/**
 * A store in the memory of one process: for development, for tests, and for a single instance that may forget what it
 * processed when it restarts. Everywhere else, use a store that lives outside the process.
 *
 * @throws OptionError for an unknown option
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
  return new MemoryStore(options.clock ?? systemClock)
}

class MemoryStore implements ReceiverStore {
  readonly #clock: Clock
  readonly #processed = new Map<string, Kept<{ readonly forgotten: boolean }>>()
  readonly #applied = new Map<string, Kept<AppliedRevision>>()
  readonly #leases = new Map<string, Lease>()
  #claims = 0
  #prunedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#prunedAt = clock.now()
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const processed = this.#processed.get(eventKey(request.scope, request.eventId))
    if (processed?.forgotten === false) return { status: 'duplicate' }

    // What was forgotten on purpose is to pass, whatever its revision.
    const change = processed === undefined ? request.note?.change : undefined
    const applied = this.#applied.get(noteKey(request))
    if (change !== undefined && applied !== undefined && passRevisionGate(request.gate, change, applied) === 'stale') {
      return { status: 'stale', appliedRevision: applied.revision }
    }

    const now = this.#clock.now()
    const keys = leaseKeys(request)
    if (keys.some((key) => (this.#leases.get(key)?.endsAt ?? 0) > now)) return { status: 'busy' }

    this.#claims += 1
    const claim = { request, fencingToken: String(this.#claims) }
    const lease = { fencingToken: claim.fencingToken, endsAt: now + request.leaseMs }
    for (const key of keys) this.#leases.set(key, lease)
    return { status: 'claimed', claim }
  }

  async renew(claim: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const lease = this.#currentLease(claim)
    if (lease === undefined) return 'lost'
    lease.endsAt = this.#clock.now() + leaseMs
    return 'renewed'
  }

  async commit(claim: Claim): Promise<'committed' | 'lost'> {
    if (this.#currentLease(claim) === undefined) return 'lost'
    const { request } = claim
    const keptUntil = this.#clock.now() + request.keepMs
    this.#processed.set(eventKey(request.scope, request.eventId), { keptUntil, forgotten: false })
    if (request.note?.change !== undefined) {
      const raised = raiseRevision(this.#applied.get(noteKey(request)), request.note.change)
      this.#applied.set(noteKey(request), { ...raised, keptUntil })
    }
    this.#dropLeases(request)
    if (this.#clock.now() - this.#prunedAt >= PRUNE_EVERY_MS) await this.prune()
    return 'committed'
  }

  async release(claim: Claim): Promise<void> {
    if (this.#currentLease(claim) !== undefined) this.#dropLeases(claim.request)
  }

  async forget(scope: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const key = eventKey(scope, eventId)
    const processed = this.#processed.get(key)
    if (processed === undefined || processed.forgotten) return 'unknown'
    this.#processed.set(key, { ...processed, forgotten: true })
    return 'forgotten'
  }

  async prune(): Promise<number> {
    const now = this.#clock.now()
    this.#prunedAt = now
    let removed = 0
    for (const kept of [this.#processed, this.#applied]) {
      for (const [key, { keptUntil }] of kept) {
        if (keptUntil <= now && kept.delete(key)) removed += 1
      }
    }
    return removed
  }

  /** The lease of a claim that nobody has taken over, on its event and on its note. */
  #currentLease(claim: Claim): Lease | undefined {
    const leases = leaseKeys(claim.request).map((key) => this.#leases.get(key))
    return leases.every((lease) => lease?.fencingToken === claim.fencingToken) ? leases[0] : undefined
  }

  #dropLeases(request: ClaimRequest): void {
    for (const key of leaseKeys(request)) this.#leases.delete(key)
  }
}

function leaseKeys(request: ClaimRequest): readonly string[] {
  const event = eventKey(request.scope, request.eventId)
  return request.note === undefined ? [event] : [event, noteKey(request)]
}

function eventKey(scope: string, eventId: string): string {
  return JSON.stringify(['event', scope, eventId])
}

function noteKey({ scope, note }: ClaimRequest): string {
  return JSON.stringify(['note', scope, note?.noteId])
}
