import { type AppliedRevision, passRevisionGate } from '../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../interfaces/store.ts'
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

/** The columns of a note's state, as a store has read them. */
export interface AppliedColumns {
  readonly revision: unknown
  readonly deleted: boolean
  readonly deletedAtAnyRevision: boolean
  readonly deletedAt: unknown
  readonly seen: readonly string[]
}

/** The state of a note. What is known of its deletion counts only while the note is deleted. */
export function appliedRevision(columns: AppliedColumns): AppliedRevision {
  const { deleted, deletedAtAnyRevision, seen } = columns
  const revision = numberOf(columns.revision)
  if (!deleted) return { revision, deleted, seen }
  return {
    revision,
    deleted,
    deletedAtAnyRevision: deletedAtAnyRevision || undefined,
    deletedAt: numberOf(columns.deletedAt),
    seen,
  }
}

function numberOf(column: unknown): number | undefined {
  return typeof column === 'number' ? column : undefined
}
