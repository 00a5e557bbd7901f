import type { NoteEventKind } from '@notewire/protocol'

/**
 * Which events the revision gate applies.
 *
 * A `note.deleted` without a revision passes in every mode. After it, another event of its note passes only if it occurred later than
 * the deletion (open point 38), except with `off`.
 *
 * - `strict`: the rule of the contract (§6, delivery semantics 2): an equal or lower revision is always ignored
 * - `deletions-at-equal`: an equal or lower revision is ignored, with two exceptions at an equal revision (open point 32).
 *   `note.deleted` always passes: a loss of access may leave the revision unchanged, and otherwise you would keep a note that you
 *   can no longer access (§6, delivery semantics 3). After a deletion, another event passes if it occurred later than the
 *   deletion: access may be regained at the same revision.
 * - `per-kind`: as `deletions-at-equal`; in addition, a kind (of a recording session) that was not yet applied at this
 *   revision passes while the note does not count as deleted
 * - `off`: everything passes
 */
export type GateMode = 'strict' | 'deletions-at-equal' | 'per-kind' | 'off'

/** The change of a note that an event announces. Only a deletion may have no revision (open point 38). */
export type NoteChange = ChangeTraits &
  (
    | { readonly kind: 'note.deleted'; readonly revision?: number | undefined }
    | { readonly kind: Exclude<NoteEventKind, 'note.deleted'>; readonly revision: number }
  )

interface ChangeTraits {
  readonly recordingSessionId?: string | undefined
  /** When the event occurred, in milliseconds since the Unix epoch. `undefined` if its `occurred_at` is missing or invalid. */
  readonly occurredAt?: number | undefined
}

/** What a store keeps of the events that were applied to a note. */
export interface AppliedRevision {
  /** The highest revision applied. `undefined` if only deletions without a revision were applied. */
  readonly revision: number | undefined
  /** Whether the note counts as deleted. */
  readonly deleted: boolean
  /**
   * Whether only an event that occurred later ends the deletion, because the deletion had no revision. Otherwise, a higher revision ends
   * it, too.
   */
  readonly deletedAtAnyRevision?: boolean | undefined
  /**
   * When the deletion occurred, in milliseconds since the Unix epoch: the latest time, if several deletions were applied. `undefined` if
   * the time is unknown; then no other event occurred later.
   */
  readonly deletedAt?: number | undefined
  /** The kinds applied at this revision since its latest deletion, each with its recording session, if it has one. */
  readonly seen: readonly string[]
}

/**
 * Decides whether an event is applied or ignored, by the revision of its note (contract §6, open points 32 and 38).
 *
 * @param applied  what was applied before, or `undefined` for an unknown note
 * @returns `'apply'`, or `'stale'` if the event must be acknowledged and ignored
 */
export function passRevisionGate(
  mode: GateMode,
  change: NoteChange,
  applied: AppliedRevision | undefined,
): 'apply' | 'stale' {
  if (mode === 'off' || applied === undefined || change.revision === undefined) return 'apply'
  return passes(mode, change, applied) ? 'apply' : 'stale'
}

function passes(mode: GateMode, change: NoteChange, applied: AppliedRevision): boolean {
  const above = distanceAbove(applied, change)
  if (above < 0 || (above === 0 && mode === 'strict')) return false
  if (change.kind === 'note.deleted') return true
  if (applied.deleted) return endsDeletion(applied, change)
  return above > 0 || (mode === 'per-kind' && !applied.seen.includes(seenKey(change)))
}

/** Returns what is applied after a change. The revision never decreases, and a deletion without a revision does not raise it. */
export function raiseRevision(applied: AppliedRevision | undefined, change: NoteChange): AppliedRevision {
  if (applied !== undefined && distanceAbove(applied, change) < 0) return applied
  const revision = change.revision ?? applied?.revision
  const deletion = applied?.deleted && !endsDeletion(applied, change) ? applied : undefined
  if (change.kind === 'note.deleted') return { revision, ...mergedDeletion(deletion, change), seen: [seenKey(change)] }
  const seen = [...new Set(applied?.revision === change.revision ? applied.seen : []).add(seenKey(change))]
  return deletion ? { ...deletion, revision, seen } : { revision, deleted: false, seen }
}

/** @param earlier  the deletion that counts already, unless the new one is certainly later */
function mergedDeletion(earlier: AppliedRevision | undefined, { revision, occurredAt }: NoteChange) {
  return {
    deleted: true,
    deletedAtAnyRevision: revision === undefined || earlier?.deletedAtAnyRevision,
    deletedAt: earlier ? laterOf(earlier.deletedAt, occurredAt) : occurredAt,
  }
}

/** Whether a change is newer than the deletion of its note: by its revision, if the deletion had one, or by its time. */
function endsDeletion(applied: AppliedRevision, change: NoteChange): boolean {
  if (!applied.deletedAtAnyRevision && distanceAbove(applied, change) > 0) return true
  // If either time is unknown, the change is not known to be later.
  return (change.occurredAt ?? Number.NEGATIVE_INFINITY) > (applied.deletedAt ?? Number.POSITIVE_INFINITY)
}

/** By how much a change is above the applied revision. A deletion without a revision is at it. */
function distanceAbove({ revision: highest = -1 }: AppliedRevision, { revision = highest }: NoteChange): number {
  return revision - highest
}

/** The later time, or `undefined` if one is unknown: a deletion at an unknown time may be the latest. */
function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.max(one, other)
}

function seenKey({ kind, recordingSessionId }: NoteChange): string {
  return recordingSessionId === undefined ? kind : `${kind} ${recordingSessionId}`
}
