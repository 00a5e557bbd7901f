import { type AppliedRevision, passRevisionGate } from '../interfaces/revision-gate.ts'
import type { Claim, ClaimRequest, ClaimResult } from '../interfaces/store.ts'
import type { LookResult, Seen } from '../interfaces/transaction-store.ts'

/** What a store knows of an event and of its note. */
export interface KnownEvent extends Seen {
  readonly applied: AppliedRevision | undefined
  readonly isProcessed: boolean
  /** Whether a processed event may be processed again. */
  readonly isForgotten: boolean
  /** Whether a worker has a lease of the event or of its note that has not expired. */
  readonly isLeased: boolean
}

/** Decides whether an event may be processed. */
export function lookResult({ gate, note }: ClaimRequest, known: KnownEvent): LookResult {
  const { applied, eventVersion, noteVersion, isProcessed, isForgotten, isLeased } = known
  if (isProcessed && !isForgotten) return { status: 'duplicate' }
  // What was forgotten on purpose passes, whatever its revision.
  if (!isProcessed && note?.change !== undefined && passRevisionGate(gate, note.change, applied) === 'stale') {
    return { status: 'stale', appliedRevision: applied?.revision }
  }
  if (isLeased) return { status: 'busy' }
  return { status: 'new', seen: { applied, eventVersion, noteVersion } }
}

/** An event and its note that a store has leased before the decision, if it could. */
export interface Lease {
  /** What the store knew before. */
  readonly known: KnownEvent
  /** The fencing token. Missing if the event is processed, or if another worker has a lease. */
  readonly token: string | undefined
}

type Release = (claim: Claim) => Promise<void>

/** Decides on a claim after the lease, and releases a lease that is not used. */
export async function claimResult(request: ClaimRequest, lease: Lease, release: Release): Promise<ClaimResult> {
  const { known, token } = lease
  const look = lookResult(request, known)
  if (look.status !== 'new') {
    await releaseUnused(request, lease, release)
    return look
  }
  if (token === undefined) return { status: 'busy' }
  return { status: 'claimed', claim: { request, fencingToken: token, applied: known.applied } }
}

/** Never rejects. */
export async function releaseUnused(request: ClaimRequest, { known, token }: Lease, release: Release): Promise<void> {
  try {
    if (token !== undefined) await release({ request, fencingToken: token, applied: known.applied })
  } catch {
    // Ignored: the claim ends when its lease expires.
  }
}
